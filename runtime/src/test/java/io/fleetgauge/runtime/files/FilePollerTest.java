package io.fleetgauge.runtime.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class FilePollerTest {
  @Test
  void aLookThatFailsIsFollowedByTheNextUntilAllIsClosed() throws InterruptedException {
    CountDownLatch looks = new CountDownLatch(3);
    AtomicReference<Thread> thread = new AtomicReference<>();
    FilePoller look =
        FilePoller.start(
            "a-look",
            Duration.ofMillis(1),
            () -> {
              thread.set(Thread.currentThread());
              looks.countDown();
              throw new IllegalStateException("broken");
            });
    assertThat(looks.await(2, TimeUnit.MINUTES)).isTrue();
    assertThat(thread.get().getName()).isEqualTo("a-look");
    assertThat(thread.get().isDaemon()).as("it does not keep the process").isTrue();
    look.close();
    assertThat(thread.get().join(Duration.ofMinutes(2))).isTrue();
  }

  @Test
  void looksOfEventLoopsDoNotOverlapAndGoOnAfterOneThatFails() throws Exception {
    CountDownLatch looks = new CountDownLatch(5);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Vertx vertx = Vertx.vertx();
    FilePoller poller =
        FilePoller.start(
            vertx,
            "a look",
            Duration.ofMillis(1),
            () -> {
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              looks.countDown();
              running.decrementAndGet();
              throw new OutOfMemoryError("for this look only");
            });
    try {
      assertThat(looks.await(10, TimeUnit.MINUTES)).isTrue();
      assertThat(most).hasValue(1);
    } finally {
      poller.close();
      vertx.close().await(2, TimeUnit.MINUTES);
    }
  }

  @Test
  void aLookThatFallsDueWhileTheProcessStopsIsNoError() throws Exception {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    for (int i = 0; i < 20; i++) {
      Vertx vertx = Vertx.vertx();
      vertx.exceptionHandler(failure::set);
      for (int j = 0; j < 20; j++) {
        FilePoller.start(vertx, "a look", Duration.ofMillis(1), () -> {});
      }
      vertx.close().await(10, TimeUnit.MINUTES);
    }
    assertThat(failure).hasNullValue();
  }
}

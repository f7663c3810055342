package io.fleetgauge.probe.host.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.probe.host.reading.Libc;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class NetworkMountsTest {
  private static final Libc.Space SPACE = new Libc.Space("", 10, 5, 4, 3, 2);

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger calls = new AtomicInteger();
  private final CountDownLatch server = new CountDownLatch(1);
  private final NetworkMounts mounts =
      new NetworkMounts(
          path -> {
            calls.incrementAndGet();
            if (path.startsWith("/dead")) {
              awaitServer();
            }
            return SPACE;
          },
          nanos::get);

  private void awaitServer() {
    try {
      server.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void anAnswerIsThatOfTheReadingBefore() {
    assertThat(mounts.space("/home")).isNull();
    await()
        .atMost(Duration.ofMinutes(10))
        .untilAsserted(() -> assertThat(mounts.space("/home")).isEqualTo(SPACE));
  }

  @Test
  void aServerThatDoesNotAnswerIsAskedOnceAndIsAnErrorAfterItsTime() {
    assertThat(mounts.space("/dead")).isNull();
    nanos.addAndGet(NetworkMounts.LIMIT_NANOS);
    assertThat(mounts.space("/dead")).isNull();
    nanos.addAndGet(1);
    assertThat(mounts.space("/dead").error()).isEqualTo("mountpoint timeout");
    assertThat(calls).hasValueLessThanOrEqualTo(1);
    server.countDown();
    await()
        .atMost(Duration.ofMinutes(10))
        .untilAsserted(() -> assertThat(mounts.space("/dead")).isEqualTo(SPACE));
  }

  @Test
  void thereAreNeverMoreThanEightCallsAtOnce() {
    for (int i = 0; i < 8; i++) {
      assertThat(mounts.space("/dead/" + i)).isNull();
    }
    assertThat(mounts.space("/dead/8").error()).isEqualTo("mountpoint timeout");
    await().atMost(Duration.ofMinutes(10)).untilAsserted(() -> assertThat(calls).hasValue(8));
    server.countDown();
  }
}

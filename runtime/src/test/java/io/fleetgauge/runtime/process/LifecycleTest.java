package io.fleetgauge.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class LifecycleTest {
  private final List<String> stopped = new CopyOnWriteArrayList<>();
  private final Lifecycle lifecycle = new Lifecycle("test");

  @Test
  void whatWasStartedStopsInReverse() {
    for (String part : List.of("a", "b", "c")) {
      lifecycle.started(part, Duration.ofSeconds(5), () -> stopped.add(part));
    }
    lifecycle.close();
    lifecycle.close();
    assertThat(stopped).containsExactly("c", "b", "a");
  }

  @Test
  void whenALaterPartCannotStartTheEarlierOnesAreStopped() {
    StartFailure busy = new StartFailure("port 1 is in use");
    assertThatThrownBy(
            () ->
                lifecycle.startOrClose(
                    () -> {
                      lifecycle.started("a", Duration.ofSeconds(5), () -> stopped.add("a"));
                      throw busy;
                    }))
        .isSameAs(busy);
    assertThat(stopped).containsExactly("a");
  }

  @Test
  void aPartThatFailsOrHangsDoesNotKeepTheOthersFromStopping() {
    CountDownLatch never = new CountDownLatch(1);
    lifecycle.started("first", Duration.ofSeconds(5), () -> stopped.add("first"));
    lifecycle.started("hangs", Duration.ofMillis(50), never::await);
    lifecycle.started(
        "fails",
        Duration.ofSeconds(5),
        () -> {
          throw new IllegalStateException("broken");
        });
    lifecycle.close();
    assertThat(stopped).containsExactly("first");
    never.countDown();
  }

  @Test
  void aRuntimeFailureOfTheStartStopsTheEarlierPartsToo() {
    assertThatThrownBy(
            () ->
                lifecycle.startOrClose(
                    () -> {
                      lifecycle.started("a", Duration.ofSeconds(5), () -> stopped.add("a"));
                      throw new IllegalStateException("broken");
                    }))
        .hasMessage("broken");
    assertThat(stopped).containsExactly("a");
  }

  @Test
  void aStartThatSucceedsStopsNothing() throws StartFailure {
    lifecycle.startOrClose(
        () -> lifecycle.started("a", Duration.ofSeconds(5), () -> stopped.add("a")));
    assertThat(stopped).isEmpty();
    lifecycle.close();
    assertThat(stopped).containsExactly("a");
  }

  @Test
  void anInterruptionOfTheStopIsPassedOnToTheCaller() {
    CountDownLatch never = new CountDownLatch(1);
    lifecycle.started("hangs", Duration.ofMinutes(5), never::await);
    Thread.currentThread().interrupt();
    lifecycle.close();
    assertThat(Thread.interrupted()).isTrue();
    never.countDown();
  }
}

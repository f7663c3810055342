package io.fleetgauge.query.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CancellationTest {
  private final Cancellation cancellation = new Cancellation();
  private final List<String> told = new ArrayList<>();

  @Test
  void everyListenerIsToldOnceInOrder() {
    cancellation.onCancel(() -> told.add("first"));
    cancellation.onCancel(() -> told.add("second"));
    assertThat(cancellation.isCancelled()).isFalse();
    assertThat(told).isEmpty();
    cancellation.cancel();
    cancellation.cancel();
    assertThat(cancellation.isCancelled()).isTrue();
    assertThat(told).containsExactly("first", "second");
  }

  @Test
  void whoListensAfterwardsIsToldAtOnce() {
    cancellation.cancel();
    cancellation.onCancel(() -> told.add("late"));
    assertThat(told).containsExactly("late");
  }

  @Test
  void aListenerThatCancelsAgainTellsNobodyTwice() {
    cancellation.onCancel(
        () -> {
          told.add("first");
          cancellation.cancel();
          cancellation.onCancel(() -> told.add("inner"));
        });
    cancellation.onCancel(() -> told.add("second"));
    cancellation.cancel();
    assertThat(told).containsExactly("first", "inner", "second");
  }
}

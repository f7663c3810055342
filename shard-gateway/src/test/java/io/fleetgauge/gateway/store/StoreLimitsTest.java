package io.fleetgauge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StoreLimitsTest {
  private static StoreLimits limits(Duration memory, Duration outOfOrder) {
    return new StoreLimits(
        Duration.ofDays(7), 1, memory, outOfOrder, StoreLimits.DEFAULT_FUTURE, 1, 1, 1);
  }

  @Test
  void aBlockCoversHalfOfTheTimeInMemory() {
    Duration hour = Duration.ofHours(1);
    assertThat(limits(hour, hour.dividedBy(2)).blockMillis()).isEqualTo(1_800_000);
    assertThat(limits(hour, Duration.ZERO).blockMillis()).isEqualTo(1_800_000);
  }

  @Test
  void samplesMayNotBeLaterThanABlockIsLong() {
    Duration hour = Duration.ofHours(1);
    assertThatThrownBy(() -> limits(hour, Duration.ofMinutes(31)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "store.outOfOrder is PT31M; it must be at most half of store.memory, which is PT1H");
  }

  @Test
  void samplesMayBeTenMinutesAheadAsForPrometheus() {
    assertThat(StoreLimits.DEFAULT_FUTURE).isEqualTo(Duration.ofMinutes(10));
  }

  @Test
  void everySampleOfAnOutcomeIsCountedOnceUnderItsKind() {
    WriteOutcome outcome = new WriteOutcome();
    outcome.stored();
    outcome.late();
    outcome.repeated();
    outcome.conflicting("first");
    outcome.tooOld(3, "second");
    outcome.future(4, "third");
    outcome.overLimit("fourth");
    assertThat(outcome.kept()).isEqualTo(3);
    assertThat(outcome.refused()).isEqualTo(9);
    assertThat(outcome.overLimit()).isEqualTo(1);
    assertThat(outcome.refusal()).isEqualTo("first");
    StoreCounts counts = new StoreCounts();
    outcome.addTo(counts);
    assertThat(counts.stored.sum()).isEqualTo(2);
    assertThat(counts.late.sum()).isEqualTo(1);
    assertThat(counts.repeated.sum()).isEqualTo(1);
    assertThat(counts.conflicting.sum()).isEqualTo(1);
    assertThat(counts.tooOld.sum()).isEqualTo(3);
    assertThat(counts.future.sum()).isEqualTo(4);
    assertThat(counts.overLimit.sum()).isEqualTo(1);
    assertThat(counts.blocks.failures.sum()).isZero();
    counts.blockFailed();
    assertThat(counts.blocks.failures.sum()).isEqualTo(1);
  }
}

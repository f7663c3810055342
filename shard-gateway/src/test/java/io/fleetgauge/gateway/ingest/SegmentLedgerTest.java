package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SegmentLedgerTest {
  private final SegmentLedger ledger = new SegmentLedger();

  @Test
  void aSegmentIsFreeWhenAllSamplesOfAllItsHostsAreSafe() {
    ledger.note(1, "a", 100);
    ledger.note(1, "b", 200);
    assertThat(freeBefore(Map.of("a", 101L, "b", 200L), 9)).as("the newest of b").isEqualTo(1);
    assertThat(freeBefore(Map.of("a", 100L, "b", 201L), 9)).as("the newest of a").isEqualTo(1);
    assertThat(freeBefore(Map.of("a", 101L, "b", 201L), 9)).isEqualTo(9);
  }

  @Test
  void theNewestSampleOfAHostCountsInWhicheverOrderTheyCome() {
    ledger.note(1, "a", 300);
    ledger.note(1, "a", 100);
    assertThat(freeBefore(Map.of("a", 300L), 9)).isEqualTo(1);
    ledger.note(1, "a", 400);
    assertThat(freeBefore(Map.of("a", 400L), 9)).isEqualTo(1);
    assertThat(freeBefore(Map.of("a", 401L), 9)).isEqualTo(9);
  }

  @Test
  void segmentsAreFreedInTheirOrder() {
    ledger.note(3, "a", 300);
    ledger.note(1, "a", 100);
    ledger.note(2, "b", 100);
    assertThat(freeBefore(Map.of("a", 400L, "b", 0L), 9)).as("2 is needed").isEqualTo(2);
    assertThat(freeBefore(Map.of("a", 400L, "b", 400L), 9)).isEqualTo(9);
  }

  @Test
  void theSegmentThatIsBeingWrittenIsNeverFreed() {
    ledger.note(1, "a", 100);
    ledger.note(2, "a", 100);
    assertThat(freeBefore(Map.of("a", 400L), 2)).isEqualTo(2);
    assertThat(freeBefore(Map.of("a", 0L), 3)).as("it is still noted").isEqualTo(2);
  }

  @Test
  void withoutSamplesEverythingBeforeTheCurrentSegmentIsFree() {
    assertThat(freeBefore(Map.of(), 7)).isEqualTo(7);
    ledger.note(9, "a", 100);
    assertThat(freeBefore(Map.of("a", 0L), 7)).isEqualTo(7);
  }

  @Test
  void aSegmentCoversTheTimeOfTheHostThatHasMost() {
    assertThat(ledger.covers(1, 0)).as("nothing is in it").isFalse();
    ledger.note(1, "a", 100);
    ledger.note(1, "b", 900);
    assertThat(ledger.covers(1, 0)).isFalse();
    ledger.note(1, "b", 700);
    ledger.note(1, "b", Long.MIN_VALUE);
    ledger.note(1, "c", Long.MIN_VALUE);
    assertThat(ledger.covers(1, 199)).isTrue();
    assertThat(ledger.covers(1, 200)).isFalse();
    assertThat(ledger.covers(2, 0)).isFalse();
  }

  private long freeBefore(Map<String, Long> safeBefore, long current) {
    return ledger.freeBefore(safeBefore::get, current);
  }
}

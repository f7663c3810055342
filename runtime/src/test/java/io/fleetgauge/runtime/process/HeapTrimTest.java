package io.fleetgauge.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeapTrimTest {
  private static final long MIB = 1 << 20;

  private long used;
  private long left;
  private long inUse;
  private int collections;
  private long now;
  private final HeapTrim trim =
      new HeapTrim(
          () -> used,
          () -> left,
          () -> {
            collections++;
            used = inUse;
            left = inUse;
          });

  private void look() {
    now += 500;
    trim.look(now);
  }

  private void look(long millis) {
    for (long end = now + millis; now < end; ) {
      look();
    }
  }

  @Test
  void aLoadLeavesAtMostHalfOfWhatIsInUseAndThirtyTwoMebibytesAsGarbage() {
    inUse = 100 * MIB;
    used = 100 * MIB;
    left = 100 * MIB;
    long most = 0;
    for (int i = 0; i < 1_000; i++) {
      used += 5 * MIB;
      most = Math.max(most, used);
      look();
    }
    assertThat(most).isBetween(182 * MIB, 188 * MIB);
    assertThat(collections).as("of 5,000 MiB in all, some 87 each time").isBetween(55, 60);
  }

  @Test
  void whatALoadLeavesIsCollectedWhenItIsOver() {
    inUse = 60 * MIB;
    left = 60 * MIB;
    used = 110 * MIB;
    look(HeapTrim.REST_MILLIS);
    assertThat(collections).isZero();
    look();
    look();
    assertThat(collections).isEqualTo(1);
    assertThat(used).isEqualTo(60 * MIB);
  }

  @Test
  void aHeapThatHoldsWhatItNeedsIsLeftAlone() {
    inUse = 60 * MIB;
    left = 60 * MIB;
    used = 60 * MIB + HeapTrim.GARBAGE_AT_REST;
    look(3_600_000);
    assertThat(collections).isZero();
  }

  @Test
  void aHeapThatGrowsSlowlyIsCollectedWheneverItsGarbageIsWorthIt() {
    inUse = 60 * MIB;
    left = 60 * MIB;
    used = 60 * MIB;
    for (int i = 0; i < 60; i++) {
      used += MIB;
      look(5_000);
    }
    // A MiB in five seconds is no load.
    assertThat(collections).isEqualTo(4);
  }

  @Test
  void theFirstCollectionDoesNotWaitForOneBefore() {
    inUse = 20 * MIB;
    used = HeapTrim.GARBAGE_UNDER_LOAD + 1;
    look();
    assertThat(collections).isEqualTo(1);
  }
}

package io.fleetgauge.sample.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentSizesTest {
  private final SegmentSizes sizes = new SegmentSizes();

  @Test
  void aJournalWithoutSegmentsHasNoBytesAndNoLastSegment() {
    assertThat(sizes.bytes()).isZero();
    assertThat(sizes.count()).isZero();
    assertThat(sizes.last()).isZero();
    assertThat(sizes.before(Long.MAX_VALUE)).isEmpty();
    assertThat(sizes.precedingOrSame(7)).isEqualTo(7);
  }

  @Test
  void theSizeOfASegmentReplacesTheOneBefore() {
    sizes.put(3, 100);
    sizes.put(3, 40);
    assertThat(sizes.bytes()).isEqualTo(40);
    assertThat(sizes.count()).isEqualTo(1);
  }

  @Test
  void removingASegmentThatIsNotThereChangesNothing() {
    sizes.put(3, 100);
    sizes.remove(4);
    assertThat(sizes.bytes()).isEqualTo(100);
    sizes.remove(3);
    sizes.remove(3);
    assertThat(sizes.bytes()).isZero();
  }

  @Test
  void theSegmentBeforeAnotherIsTheHighestThatIsLower() {
    sizes.put(2, 1);
    sizes.put(5, 1);
    sizes.put(9, 1);
    assertThat(sizes.precedingOrSame(9)).isEqualTo(5);
    assertThat(sizes.precedingOrSame(8)).isEqualTo(5);
    assertThat(sizes.precedingOrSame(5)).isEqualTo(2);
    assertThat(sizes.precedingOrSame(2)).isEqualTo(2);
    assertThat(sizes.before(9)).containsExactly(2L, 5L);
    assertThat(sizes.last()).isEqualTo(9);
  }

  @Test
  void theSegmentsBeforeAreACopyThatMayBeChanged() {
    sizes.put(1, 10);
    sizes.put(2, 10);
    sizes.before(3).clear();
    assertThat(sizes.count()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theBytesAreAlwaysTheSumOfTheSizes(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    TreeMap<Long, Long> twin = new TreeMap<>();
    for (int round = 0; round < 2_000; round++) {
      long number = random.nextInt(1, 20);
      if (random.nextInt(3) == 0) {
        sizes.remove(number);
        twin.remove(number);
      } else {
        long size = random.nextLong(1L << 40);
        sizes.put(number, size);
        twin.put(number, size);
      }
      assertThat(sizes.bytes()).isEqualTo(twin.values().stream().mapToLong(each -> each).sum());
      assertThat(sizes.count()).isEqualTo(twin.size());
      assertThat(sizes.last()).isEqualTo(twin.isEmpty() ? 0 : twin.lastKey());
      assertThat(sizes.before(number)).isEqualTo(new ArrayList<>(twin.headMap(number).keySet()));
    }
  }
}

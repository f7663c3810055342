package io.fleetgauge.gateway.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.sender.TimeRanges.Range;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimeRangesTest {
  private final TimeRanges ranges = new TimeRanges();

  @Test
  void rangesThatTouchAreOne() {
    ranges.add(new Range(10, 20));
    ranges.add(new Range(30, 40));
    assertThat(ranges.list()).containsExactly(new Range(10, 20), new Range(30, 40));
    ranges.add(new Range(20, 30));
    assertThat(ranges.list()).containsExactly(new Range(10, 40));
    assertThat(ranges.millis()).isEqualTo(30);
  }

  @Test
  void ofTooManyRangesTheClosestAreJoined() {
    for (int i = 0; i <= TimeRanges.MAX; i++) {
      ranges.add(new Range(i * 100L, i * 100L + (i == 7 ? 90 : 10)));
    }
    assertThat(ranges.list())
        .hasSize(TimeRanges.MAX)
        .contains(new Range(700, 810))
        .contains(new Range(600, 610));
  }

  @Test
  void whatIsBeforeATimeIsRemovedAndMeasured() {
    ranges.add(new Range(10, 20));
    ranges.add(new Range(30, 40));
    assertThat(ranges.removeBefore(10)).isZero();
    assertThat(ranges.removeBefore(35)).isEqualTo(15);
    assertThat(ranges.list()).containsExactly(new Range(35, 40));
  }

  @Test
  void rangesAreASetOfTimes() {
    Random random = new Random(7);
    BitSet expected = new BitSet();
    for (int i = 0; i < 2_000; i++) {
      int after = random.nextInt(400);
      int to = after + 1 + random.nextInt(20);
      if (random.nextBoolean()) {
        ranges.add(new Range(after, to));
        expected.set(after + 1, to + 1);
      } else {
        ranges.remove(new Range(after, to));
        expected.clear(after + 1, to + 1);
      }
      int time = random.nextInt(420);
      assertThat(ranges.contains(time)).isEqualTo(expected.get(time));
      assertThat(ranges.millis()).isEqualTo(expected.cardinality());
    }
  }
}

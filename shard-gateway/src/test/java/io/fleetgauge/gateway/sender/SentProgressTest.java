package io.fleetgauge.gateway.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.sender.SentProgress.Range;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SentProgressTest {
  private final SentProgress progress = new SentProgress(100);

  @Test
  void newSamplesLeaveInRangesThatFollowEachOther() {
    assertThat(progress.next(100, 50)).isEmpty();
    assertThat(progress.next(120, 50)).contains(new Range(100, 120));
    assertThat(progress.next(1_000, 50)).contains(new Range(100, 150));
    progress.left(150);
    assertThat(progress.next(1_000, 50)).contains(new Range(150, 200));
    progress.left(90);
    assertThat(progress.until()).isEqualTo(150);
  }

  @Test
  void whatIsTooFarBehindIsAGapAndTheNewestLeaveFirst() {
    progress.skip(200, 100, 10);
    assertThat(progress.gaps()).isEmpty();
    progress.skip(201, 100, 10);
    assertThat(progress.gaps()).containsExactly(new Range(100, 191));
    assertThat(progress.next(201, 50)).contains(new Range(191, 201));
    assertThat(progress.nextGap(50)).contains(new Range(100, 150));
    progress.filled(new Range(100, 150));
    assertThat(progress.nextGap(50)).contains(new Range(150, 191));
    progress.filled(new Range(150, 191));
    assertThat(progress.nextGap(50)).isEmpty();
  }

  @Test
  void gapsThatTouchAreOne() {
    progress.add(new Range(10, 20));
    progress.add(new Range(30, 40));
    assertThat(progress.gaps()).containsExactly(new Range(10, 20), new Range(30, 40));
    progress.add(new Range(20, 30));
    assertThat(progress.gaps()).containsExactly(new Range(10, 40));
  }

  @Test
  void ofTooManyGapsTheClosestAreJoined() {
    for (int i = 0; i <= SentProgress.MAX_GAPS; i++) {
      progress.add(new Range(i * 100L, i * 100L + (i == 7 ? 90 : 10)));
    }
    assertThat(progress.gaps())
        .hasSize(SentProgress.MAX_GAPS)
        .contains(new Range(700, 810))
        .contains(new Range(600, 610));
  }

  @Test
  void whatHasExpiredIsLostAndCounted() {
    progress.add(new Range(10, 20));
    progress.add(new Range(30, 40));
    assertThat(progress.expire(35)).isEqualTo(15);
    assertThat(progress.gaps()).containsExactly(new Range(35, 40));
    assertThat(progress.expire(35)).isZero();
  }

  @Test
  void gapsAreTheSameAsASetOfTimesWhateverIsAddedAndFilled() {
    Random random = new Random(7);
    for (int round = 0; round < 300; round++) {
      SentProgress gaps = new SentProgress(0);
      BitSet times = new BitSet();
      for (int i = 0; i < 40; i++) {
        int after = random.nextInt(200);
        int to = after + 1 + random.nextInt(30);
        if (random.nextBoolean()) {
          gaps.add(new Range(after, to));
          times.set(after + 1, to + 1);
        } else {
          gaps.filled(new Range(after, to));
          times.clear(after + 1, to + 1);
        }
        BitSet left = new BitSet();
        List<Range> ranges = gaps.gaps();
        ranges.forEach(each -> left.set((int) each.after() + 1, (int) each.to() + 1));
        assertThat(left).isEqualTo(times);
        for (int n = 1; n < ranges.size(); n++) {
          assertThat(ranges.get(n).after()).isGreaterThan(ranges.get(n - 1).to());
        }
      }
    }
  }
}

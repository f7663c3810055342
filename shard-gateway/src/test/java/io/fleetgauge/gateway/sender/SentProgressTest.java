package io.fleetgauge.gateway.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.sender.SentRecord.Term;
import io.fleetgauge.gateway.sender.TimeRanges.Range;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SentProgressTest {
  private static final Set<Labels> A = Set.of(Labels.of(Labels.NAME, "a"));
  private final SentProgress progress = new SentProgress(1_000_000, List.of());

  private List<Range> gaps() {
    return progress.record("r", "h", Term.NONE).gaps();
  }

  @Test
  void newSamplesAreReadInRangesThatFollowEachOther() {
    assertThat(progress.nextFresh(1_004_999)).isEmpty();
    Range first = new Range(1_000_000, 1_005_000);
    assertThat(progress.nextFresh(1_005_000)).contains(first);
    assertThat(progress.until()).isEqualTo(1_000_000);
    assertThat(progress.readUntil()).isEqualTo(1_005_000);
    progress.freshSent(first);
    assertThat(progress.nextFresh(1_100_000)).contains(new Range(1_005_000, 1_035_000));
  }

  @Test
  void whatIsTooFarBehindIsAGapAndTheNewestLeaveFirst() {
    assertThat(progress.nextFresh(1_200_000)).contains(new Range(1_190_000, 1_200_000));
    assertThat(gaps()).containsExactly(new Range(1_000_000, 1_190_000));
    assertThat(progress.beginGap()).contains(new Range(1_000_000, 1_190_000));
    progress.onlyLeaves(new Range(1_000_000, 1_060_000));
    progress.gapSent();
    assertThat(progress.beginGap()).contains(new Range(1_060_000, 1_190_000));
    progress.gapSent();
    assertThat(progress.beginGap()).isEmpty();
  }

  @Test
  void aSampleIsLateOnlyIfItIsNotReadAnyway() {
    assertThat(progress.stored(1_000_001, A)).isFalse();
    assertThat(progress.stored(1_000_000, A)).isTrue();
    progress.nextFresh(1_200_000);
    assertThat(progress.stored(1_200_001, A)).as("it is new").isFalse();
    assertThat(progress.stored(1_195_000, A)).as("it is being read").isTrue();
    assertThat(progress.stored(1_100_000, A)).as("it is in a gap").isFalse();
    progress.beginLate(10);
    assertThat(progress.beginGap()).isPresent();
    assertThat(progress.stored(1_100_000, A)).as("the gap is being read").isTrue();
    progress.onlyLeaves(new Range(1_000_000, 1_060_000));
    assertThat(progress.beginLate(10))
        .as("it was not read")
        .hasValueSatisfying(
            late -> assertThat(late.times()).containsExactly(new Range(1_194_999, 1_195_000)));
  }

  @Test
  void whatIsStoredOfAGapThatLeavesIsSentAfterIt() {
    progress.nextFresh(1_200_000);
    progress.beginGap();
    progress.onlyLeaves(new Range(1_000_000, 1_060_000));
    assertThat(progress.stored(1_030_000, A)).isTrue();
    progress.stored(new Range(1_040_000, 1_050_000));
    progress.gapSent();
    assertThat(gaps())
        .containsExactly(
            new Range(1_029_999, 1_030_000),
            new Range(1_040_000, 1_050_000),
            new Range(1_060_000, 1_190_000));
  }

  @Test
  void lateSamplesThatLeaveAreInTheRecordUntilTheyAreSent() {
    progress.stored(900_000, A);
    progress.beginLate(10);
    assertThat(gaps()).containsExactly(new Range(899_999, 900_000));
    progress.lateSent();
    assertThat(gaps()).isEmpty();
  }

  @Test
  void tooManyLateSamplesBecomeGaps() {
    Set<Labels> many =
        IntStream.range(0, 10_001)
            .mapToObj(i -> Labels.of(Labels.NAME, "m" + i))
            .collect(Collectors.toSet());
    progress.stored(900_000, many);
    progress.stored(800_000, many);
    assertThat(progress.beginLate(10)).isEmpty();
    assertThat(gaps()).containsExactly(new Range(799_999, 800_000), new Range(899_999, 900_000));
  }

  @Test
  void ofALateRecordOnlyWhatWasNotKnownIsAdded() {
    Range known = new Range(100_000, 200_000);
    SentProgress next = new SentProgress(1_000_000, List.of(known));
    next.beginGap();
    next.gapSent();
    next.adds(
        new SentRecord("r", "h", Term.NONE, 1_010_000, List.of(known, new Range(300, 400))),
        List.of(known));
    assertThat(next.record("r", "h", Term.NONE).gaps()).containsExactly(new Range(300, 400));
  }

  @Test
  void whatHasExpiredIsGivenUpAndMeasured() {
    progress.nextFresh(1_200_000);
    assertThat(progress.expire(1_000_100)).isEqualTo(100);
    assertThat(progress.expire(1_000_100)).isZero();
    assertThat(gaps()).containsExactly(new Range(1_000_100, 1_190_000));
  }
}

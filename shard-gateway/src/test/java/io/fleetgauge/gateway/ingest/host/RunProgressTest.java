package io.fleetgauge.gateway.ingest.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.gateway.ingest.host.Sequences.Range;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a gateway says of a run that it has is true. */
class RunProgressTest {
  @Test
  void ticksInOrderAreHere() {
    RunProgress progress = RunProgress.NOTHING.with(1, 0).with(2, 1).with(3, 2);
    assertThat(progress).isEqualTo(RunProgress.upTo(3));
  }

  @Test
  void whatIsSkippedWasAcknowledgedElsewhereOrDroppedOrIsNotKnown() {
    RunProgress two = RunProgress.upTo(2);
    assertThat(two.with(9, 6))
        .as("3 to 6 were acknowledged, 7 and 8 dropped")
        .isEqualTo(new RunProgress(9, Sequences.of(3, 6), Sequences.NONE));
    assertThat(two.with(9, 2)).as("all were dropped").isEqualTo(RunProgress.upTo(9));
    assertThat(two.with(9, 20))
        .as("the tick itself came")
        .isEqualTo(new RunProgress(9, Sequences.of(3, 8), Sequences.NONE));
    assertThat(two.with(9, 0))
        .as("the sender does not say")
        .isEqualTo(new RunProgress(9, Sequences.NONE, Sequences.of(3, 8)));
  }

  @Test
  void aLateTickIsNotMissingAnyMore() {
    RunProgress progress = new RunProgress(9, Sequences.of(3, 5), Sequences.of(7, 7));
    assertThat(progress.with(4, 0).missing().ranges())
        .containsExactly(new Range(3, 3), new Range(5, 5));
    assertThat(progress.with(7, 0).unproven()).isEqualTo(Sequences.NONE);
  }

  @Test
  void aTickShowsWhichTicksAreMissing() {
    assertThat(RunProgress.upTo(2).lastMissing(9, 6)).isEqualTo(6);
    assertThat(RunProgress.upTo(2).lastMissing(9, 2)).isZero();
    assertThat(RunProgress.upTo(2).lastMissing(3, 9)).isZero();
    assertThat(RunProgress.upTo(9).lastMissing(4, 3)).isZero();
  }

  /** Against plain sets of sequences: what was fetched is the union of what both have. */
  @Test
  void whatWasFetchedIsTheUnionOfBoth() {
    SplittableRandom random = new SplittableRandom(5);
    for (int round = 0; round < 20_000; round++) {
      RunProgress mine = random(random);
      RunProgress theirs = random(random);
      RunProgress both = mine.with(theirs);
      TreeSet<Long> here = here(mine);
      here.addAll(here(theirs));
      assertThat(here(both)).as("%s with %s", mine, theirs).isEqualTo(here);
      assertThat(both.kept()).isEqualTo(Math.max(mine.kept(), theirs.kept()));
      TreeSet<Long> missing = numbers(mine.missing());
      missing.addAll(numbers(theirs.missing()));
      missing.removeAll(here);
      assertThat(numbers(both.missing())).as("%s with %s", mine, theirs).isEqualTo(missing);
      assertThat(both.missing().and(both.unproven())).isEqualTo(Sequences.NONE);
    }
  }

  private static RunProgress random(SplittableRandom random) {
    RunProgress progress = RunProgress.NOTHING;
    for (int i = random.nextInt(6); i > 0; i--) {
      long sequence = progress.kept() + 1 + random.nextInt(4);
      progress = progress.with(sequence, random.nextInt(3) == 0 ? 0 : sequence - 1);
    }
    return progress;
  }

  private static TreeSet<Long> here(RunProgress progress) {
    TreeSet<Long> here = new TreeSet<>();
    LongStream.rangeClosed(1, progress.kept()).forEach(here::add);
    here.removeAll(numbers(progress.missing()));
    here.removeAll(numbers(progress.unproven()));
    return here;
  }

  private static TreeSet<Long> numbers(Sequences sequences) {
    TreeSet<Long> numbers = new TreeSet<>();
    sequences
        .ranges()
        .forEach(each -> LongStream.rangeClosed(each.first(), each.last()).forEach(numbers::add));
    return numbers;
  }

  @Test
  void sequencesAreSets() {
    SplittableRandom random = new SplittableRandom(6);
    for (int round = 0; round < 20_000; round++) {
      Sequences a = sequences(random);
      Sequences b = sequences(random);
      TreeSet<Long> and = numbers(a);
      and.retainAll(numbers(b));
      assertThat(numbers(a.and(b))).isEqualTo(and);
      TreeSet<Long> or = numbers(a);
      or.addAll(numbers(b));
      assertThat(numbers(a.or(b))).isEqualTo(or);
      TreeSet<Long> minus = numbers(a);
      minus.removeAll(numbers(b));
      assertThat(numbers(a.minus(b))).isEqualTo(minus);
    }
  }

  private static Sequences sequences(SplittableRandom random) {
    Sequences all = Sequences.NONE;
    for (int i = random.nextInt(4); i > 0; i--) {
      long first = random.nextInt(20);
      all = all.or(Sequences.of(first, first + random.nextInt(5)));
    }
    return all;
  }

  @Test
  void moreRangesThanTheLimitClaimMoreNotLess() {
    Sequences all = Sequences.NONE;
    for (long i = 1; i <= Sequences.MOST + 10; i++) {
      all = all.or(Sequences.of(2 * i, 2 * i));
    }
    assertThat(all.ranges()).hasSize(Sequences.MOST);
    for (long i = 1; i <= Sequences.MOST + 10; i++) {
      assertThat(numbers(all)).contains(2 * i);
    }
    assertThat(all.ranges().getFirst()).isEqualTo(new Range(2, 22));
  }

  /** A sender may send any number. */
  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE - 1, Long.MAX_VALUE})
  void aRunThatIsAtItsLastNumberLacksNothingAfterIt(long last) {
    RunProgress atEnd = RunProgress.NOTHING.with(last, last - 1);
    RunProgress before = RunProgress.upTo(9);
    assertThat(before.with(atEnd))
        .isEqualTo(new RunProgress(last, Sequences.of(10, last - 1), Sequences.NONE));
    assertThat(atEnd.with(before).kept()).isEqualTo(last);
    assertThat(atEnd.with(atEnd)).isEqualTo(atEnd);
    assertThat(Sequences.after(Long.MAX_VALUE)).isEqualTo(Sequences.NONE);
  }

  @Test
  void rangesThatAreNotASetAreRefused() {
    assertThatThrownBy(() -> new Range(3, 2)).hasMessage("sequences from 3 to 2");
    assertThatThrownBy(() -> new Range(-1, 2)).hasMessageContaining("from -1");
    assertThatThrownBy(() -> new Sequences(List.of(new Range(5, 6), new Range(7, 8))))
        .hasMessageContaining("out of order");
    assertThatThrownBy(
            () ->
                new Sequences(
                    LongStream.rangeClosed(0, Sequences.MOST)
                        .mapToObj(i -> new Range(2 * i, 2 * i))
                        .toList()))
        .hasMessage("65 ranges of sequences, most are 64");
  }
}

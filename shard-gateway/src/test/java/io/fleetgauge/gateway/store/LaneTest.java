package io.fleetgauge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LaneTest {
  private static final long WINDOW = HostWriter.MEMORY.toMillis() / 2;
  private static final long START = 100 * HostWriter.BLOCK_MILLIS;

  @TempDir private Path folder;
  private HostWriter writer;
  private Labels up;

  @BeforeEach
  void open() {
    writer = new HostWriter(folder, "n1");
    up = writer.series("up");
  }

  private TreeMap<Long, Double> read() throws Exception {
    TreeMap<Long, Double> found = new TreeMap<>();
    for (Series series : select("up")) {
      for (int i = 0; i < series.size(); i++) {
        found.put(series.times()[i], series.values()[i]);
      }
    }
    return found;
  }

  private List<Series> select(String selector) throws Exception {
    return writer
        .store()
        .select(
            List.of("n1"),
            new Selection(Parser.parseSelector(selector), Long.MIN_VALUE, Long.MAX_VALUE),
            1 << 20,
            Assertions::fail,
            StopCheck.NEVER);
  }

  @Test
  void aSampleAtTheEdgeOfTheLateWindowIsStoredAndOneBeforeItIsRefused() throws Exception {
    writer.send(START + WINDOW, up, 2);
    assertThat(writer.send(START, up, 1).refusal()).isEmpty();
    WriteOutcome tooOld = writer.send(START - 1, up, 0);
    assertThat(tooOld.refused()).isEqualTo(1);
    assertThat(tooOld.kept()).isZero();
    assertThat(tooOld.refusal())
        .isEqualTo(
            "too old sample: the time %d of host n1 is before the oldest allowed, %d"
                .formatted(START - 1, START));
    assertThat(read()).containsOnlyKeys(START, START + WINDOW);
  }

  @Test
  void aSampleAtTheLatestAllowedTimeIsStoredAndOneAfterItIsRefused() {
    Lane lane = writer.lane();
    Lane.Handle[] handles = {lane.handle(up)};
    WriteOutcome outcome = new WriteOutcome();
    lane.append(Lane.Source.SENDER, 1_000, 1_000, handles, new double[] {1}, null, outcome);
    assertThat(outcome.kept()).isEqualTo(1);
    outcome.nextTick();
    lane.append(Lane.Source.SENDER, 1_001, 1_000, handles, new double[] {1}, null, outcome);
    assertThat(outcome.refused()).isEqualTo(1);
    assertThat(outcome.refusal())
        .isEqualTo("out of bounds: the time 1001 is ahead of the latest allowed, 1000");
    assertThat(outcome.leavesOutAny()).isTrue();
    assertThat(outcome.leavesOut(0)).isTrue();
    assertThat(lane.newest()).isEqualTo(1_000);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSampleAtTheEdgeOfRetentionIsStoredAndOneBeforeItIsRefusedOfANewHostToo(boolean isNew) {
    StoreLimits limits = HostWriter.limits(1_000);
    long now = 1_700_000_000_000L;
    long oldest = now - limits.retention().toMillis();
    Lane lane = writer.lane();
    if (!isNew) {
      writer.send(oldest + 1, up, 1);
    }
    long latest = now + limits.future().toMillis();
    for (long time : new long[] {oldest - 1, 0, -9_000_000_000_000_000_000L}) {
      WriteOutcome refused = append(lane, time, latest);
      assertThat(refused.refused()).isEqualTo(1);
      assertThat(refused.refusal())
          .isEqualTo(
              "too old sample: the time %d of host n1 is before the oldest allowed, %d, "
                      .formatted(time, oldest)
                  + "by store.retention");
    }
    assertThat(append(lane, oldest, latest).kept()).isEqualTo(1);
  }

  private WriteOutcome append(Lane lane, long time, long latest) {
    WriteOutcome outcome = new WriteOutcome();
    Lane.Handle[] handles = {lane.handle(up)};
    lane.check(time, latest, handles, new double[] {1}, null, outcome);
    String checked = outcome.refusal();
    outcome = new WriteOutcome();
    lane.append(Lane.Source.SENDER, time, latest, handles, new double[] {1}, null, outcome);
    assertThat(outcome.refusal()).isEqualTo(checked);
    return outcome;
  }

  @Test
  void whatTheJournalHasIsAcceptedWhateverTheLimitsAre() throws Exception {
    writer = new HostWriter(folder, "n1", HostWriter.limits(1), RollupRules.NONE);
    writer.send(START + WINDOW, up, 2);
    Labels[] both = {writer.series("up"), writer.series("down")};
    WriteOutcome outcome =
        writer.append(Lane.Source.JOURNAL, START - 5, both, new double[] {1, 2}, null);
    assertThat(outcome.kept()).isEqualTo(2);
    assertThat(read()).containsOnlyKeys(START - 5, START + WINDOW);
    assertThat(writer.store().seriesCount()).isEqualTo(2);
  }

  @Test
  void onlyTheSampleOfANewSeriesAboveTheLimitIsLeftOut() {
    writer = new HostWriter(folder, "n1", HostWriter.limits(2), RollupRules.NONE);
    Labels[] three = {writer.series("a"), writer.series("b"), writer.series("c")};
    WriteOutcome outcome = writer.send(START, three, new double[] {1, 2, 3}, null);
    assertThat(outcome.kept()).isEqualTo(2);
    assertThat(outcome.overLimit()).isEqualTo(1);
    assertThat(outcome.leavesOutAny()).isTrue();
    assertThat(outcome.leavesOut(1)).isFalse();
    assertThat(outcome.leavesOut(2)).isTrue();
    outcome.nextTick();
    assertThat(outcome.leavesOutAny()).isFalse();
    assertThat(writer.send(START + 1, three[0], 4).kept()).isEqualTo(1);
  }

  @Test
  void aConflictNamesTimeAndSeriesAndChangesNothing() throws Exception {
    writer.send(START, up, 1);
    writer.send(START + 1, up, 2);
    for (long time : List.of(START, START + 1)) {
      WriteOutcome outcome = writer.send(time, up, 9);
      assertThat(outcome.refused()).isEqualTo(1);
      assertThat(outcome.refusal())
          .isEqualTo(
              "duplicate sample for timestamp "
                  + time
                  + "; overrides not allowed: up{Hostname=\"n1\"}");
    }
    assertThat(read()).containsExactlyEntriesOf(new TreeMap<>(Map.of(START, 1.0, START + 1, 2.0)));
  }

  @Test
  void theFirstRefusalIsTheOneThatIsTold() {
    writer.send(START, up, 1);
    Labels[] both = {up, writer.series("down")};
    writer.send(START, both[1], 1);
    WriteOutcome outcome = writer.send(START, both, new double[] {7, 8}, null);
    assertThat(outcome.refused()).isEqualTo(2);
    assertThat(outcome.refusal()).contains("up").doesNotContain("down");
  }

  @Test
  void aSeriesMayHaveNumbersAndHistograms() throws Exception {
    Histogram histogram = histogram(3);
    writer.send(START, up, 1);
    writer.send(START + 1, up, histogram);
    writer.send(START + 2, up, 2);
    assertThat(writer.send(START + 1, up, histogram).kept()).isEqualTo(1);
    assertThat(writer.send(START + 1, up, histogram(4)).refused()).isEqualTo(1);
    assertThat(writer.send(START + 1, up, 3.0).refused()).isEqualTo(1);
    Series series = select("up").getFirst();
    assertThat(series.times()).containsExactly(START, START + 1, START + 2);
    assertThat(series.histograms()).containsExactly(null, histogram, null);
    assertThat(series.values()[0]).isEqualTo(1);
    assertThat(series.values()[2]).isEqualTo(2);
  }

  @Test
  void aLateHistogramGoesWhereItBelongs() throws Exception {
    writer.send(START, up, 1);
    writer.send(START + 9, up, 2);
    assertThat(writer.send(START + 5, up, histogram(3)).kept()).isEqualTo(1);
    assertThat(writer.send(START + 5, up, histogram(3)).kept()).isEqualTo(1);
    assertThat(writer.send(START + 5, up, histogram(4)).refused()).isEqualTo(1);
    assertThat(writer.send(START + 3, up, 3.0).kept()).isEqualTo(1);
    Series series = select("up").getFirst();
    assertThat(series.times()).containsExactly(START, START + 3, START + 5, START + 9);
    assertThat(series.histograms()).containsExactly(null, null, histogram(3), null);
    assertThat(writer.store().counts().late.sum()).isEqualTo(2);
  }

  private static Histogram histogram(int count) {
    return HostWriter.histogram(count);
  }

  @Test
  void theTimeBetweenTicksIsAMovingAverage() {
    for (int i = 0; i < 200; i++) {
      writer.send(START + i * 5_000L, up, i);
    }
    assertThat(writer.lane().tickMillis()).isBetween(4_990L, 5_010L);
    assertThat(writer.lane().newest()).isEqualTo(START + 199 * 5_000L);
    // A pause counts as an hour at most.
    long before = writer.lane().tickMillis();
    writer.send(START + 100L * 86_400_000, up, 1);
    assertThat(writer.lane().tickMillis()).isEqualTo((7 * before + 3_600_000) / 8);
  }

  @Test
  void measuringCountsTheBytesOfSamplesAndTimes() {
    assertThat(writer.store().payloadBytes()).isZero();
    for (int i = 0; i < 1_000; i++) {
      writer.send(START + i * 1_000L, up, i);
    }
    assertThat(writer.store().payloadBytes()).isZero();
    writer.lane().measure();
    assertThat(writer.store().payloadBytes()).isBetween(200L, 16_000L);
  }

  /** Check and append agree on every sample, and check changes nothing. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void checkRefusesWhatAppendWouldRefuse(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    long now = START;
    for (int i = 0; i < 400; i++) {
      now += random.nextInt(2) * 1_000L;
      long time = now - random.nextInt(10) * 1_000L - (random.nextInt(50) == 0 ? WINDOW : 0);
      Labels[] series = {writer.series("a"), writer.series("b"), writer.series("c")};
      series = Arrays.copyOf(series, 1 + random.nextInt(3));
      double[] values = random.doubles(series.length, 0, 2).map(Math::floor).toArray();
      if (random.nextInt(10) == 0) {
        values[0] = Staleness.MARKER;
      }
      Lane.Handle[] handles =
          Arrays.stream(series).map(writer.lane()::handle).toArray(Lane.Handle[]::new);
      long changes = writer.store().changeCount();
      WriteOutcome checked = new WriteOutcome();
      writer.lane().check(time, Long.MAX_VALUE, handles, values, null, checked);
      assertThat(writer.store().changeCount()).isEqualTo(changes);
      WriteOutcome appended = writer.send(time, series, values, null);
      assertThat(checked.refused()).isEqualTo(appended.refused());
      assertThat(checked.kept()).isEqualTo(appended.kept());
      assertThat(checked.refusal()).isEqualTo(appended.refusal());
    }
    assertThat(writer.store().counts().conflicting.sum()).isPositive();
    assertThat(writer.store().counts().tooOld.sum()).isPositive();
    assertThat(writer.store().counts().late.sum()).isPositive();
  }
}

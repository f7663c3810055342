package io.fleetgauge.gateway.store.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.OwnedSeries;
import io.fleetgauge.promql.lookup.OwnedSeries.Interval;
import io.fleetgauge.promql.lookup.OwnerIntervals;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnerSearchTest {
  private static final long TICK = 15_000;
  private static final Labels NOBODY = Labels.EMPTY;

  @TempDir private Path folder;
  private HostWriter writer;

  @BeforeEach
  void open() {
    writer = new HostWriter(folder, "n1");
  }

  private static Labels job(String name) {
    return Labels.of("job", name);
  }

  private void send(long tick, String uuid, String job) {
    writer.send(tick * TICK, writer.gpu("util", uuid, job), tick);
  }

  private OwnerIntervals find(long from, long to, int limit, String... selectors) throws Exception {
    List<List<Matcher>> matchers = new ArrayList<>();
    for (String selector : selectors) {
      matchers.add(Parser.parseSelector(selector));
    }
    SeriesSearch search = new SeriesSearch(from, to, limit, matchers);
    return writer.store().owners(List.of("n1"), search, Assertions::fail);
  }

  private OwnerIntervals findAll(String... selectors) throws Exception {
    return find(Long.MIN_VALUE, Long.MAX_VALUE, 0, selectors);
  }

  @Test
  void ownersOfAGpuFollowOneAnotherWithoutAGap() throws Exception {
    for (int tick = 0; tick < 10; tick++) {
      send(tick, "G1", tick < 4 ? "a" : tick < 7 ? "b" : "");
    }
    assertThat(findAll().series())
        .containsExactly(
            new OwnedSeries(
                writer.series("util", "UUID", "G1"),
                List.of(
                    new Interval(job("a"), 0, 4 * TICK - 1),
                    new Interval(job("b"), 4 * TICK, 7 * TICK - 1),
                    new Interval(NOBODY, 7 * TICK, 9 * TICK))));
  }

  @Test
  void theFirstIntervalBeginsAtTheFirstSampleAndTheLastEndsAtTheLast() throws Exception {
    send(0, "G0", "x"); // the host is older than the GPU
    for (int tick = 100; tick < 200; tick++) {
      send(tick, "G1", "a");
    }
    send(300, "G0", "x"); // and goes on without it
    assertThat(findAll("{UUID=\"G1\"}").series().getFirst().intervals())
        .containsExactly(new Interval(job("a"), 100 * TICK, 199 * TICK));
    assertThat(find(0, 99 * TICK, 0, "{UUID=\"G1\"}").series()).isEmpty();
    assertThat(find(200 * TICK, 300 * TICK, 0, "{UUID=\"G1\"}").series()).isEmpty();
  }

  @Test
  void intervalsAreCutAtTheTimeAskedForWhichIncludesBothEnds() throws Exception {
    for (int tick = 0; tick < 10; tick++) {
      send(tick, "G1", tick < 5 ? "a" : "b");
    }
    assertThat(find(4 * TICK, 5 * TICK, 0).series().getFirst().intervals())
        .containsExactly(
            new Interval(job("a"), 4 * TICK, 5 * TICK - 1),
            new Interval(job("b"), 5 * TICK, 5 * TICK));
    assertThat(find(5 * TICK, 5 * TICK, 0).series().getFirst().intervals())
        .containsExactly(new Interval(job("b"), 5 * TICK, 5 * TICK));
  }

  @Test
  void aScopeShowsTheIntervalsOfItsOwnersOnly() throws Exception {
    for (int tick = 0; tick < 9; tick++) {
      send(tick, "G1", tick < 3 ? "a" : tick < 6 ? "b" : "a");
      send(tick, "G2", "b");
    }
    assertThat(findAll("util{job=\"a\"}").series())
        .containsExactly(
            new OwnedSeries(
                writer.series("util", "UUID", "G1"),
                List.of(
                    new Interval(job("a"), 0, 3 * TICK - 1),
                    new Interval(job("a"), 6 * TICK, 8 * TICK))));
    assertThat(findAll("util{job=\"c\"}").series()).isEmpty();
    assertThat(findAll("{job=\"a\",UUID=\"G1\"}", "{UUID=\"G2\"}").series()).hasSize(2);
  }

  @Test
  void seriesThatNobodyOwnedAreLeftOut() throws Exception {
    send(0, "G1", "");
    writer.send(TICK, writer.series("up"), 1);
    assertThat(findAll().series()).isEmpty();
  }

  @Test
  void theLimitIsOnSeriesInOrderAndTheRestIsCounted() throws Exception {
    for (int gpu = 5; gpu > 0; gpu--) {
      send(1, "G" + gpu, "a");
    }
    OwnerIntervals found = find(0, TICK, 2);
    assertThat(found.series())
        .extracting(each -> each.identity().value("UUID"))
        .containsExactly("G1", "G2");
    assertThat(found.omitted()).isEqualTo(3);
    assertThat(find(0, TICK, 5).omitted()).isZero();
  }

  @Test
  void twoOwnersAtOneTimeAreTwoSeriesOfOneIdentity() throws Exception {
    Labels[] both = {writer.gpu("util", "G1", "a"), writer.gpu("util", "G1", "b")};
    for (int tick = 0; tick < 4; tick++) {
      writer.send(tick * TICK, both, new double[] {1, 2}, null);
    }
    assertThat(findAll().series())
        .containsExactlyInAnyOrder(
            new OwnedSeries(
                writer.series("util", "UUID", "G1"), List.of(new Interval(job("a"), 0, 3 * TICK))),
            new OwnedSeries(
                writer.series("util", "UUID", "G1"), List.of(new Interval(job("b"), 0, 3 * TICK))));
  }

  @Test
  void ownersComeBackWithTheBlocks() throws Exception {
    long ticks = 4 * HostWriter.BLOCK_MILLIS / TICK;
    for (long tick = 0; tick < ticks; tick++) {
      send(tick, "G1", tick < ticks / 3 ? "a" : "b");
    }
    List<OwnedSeries> before = find(0, 2 * HostWriter.BLOCK_MILLIS - 1, 0).series();
    writer.sealAll(ticks * TICK);
    writer.restart();
    assertThat(find(0, 2 * HostWriter.BLOCK_MILLIS - 1, 0).series()).isEqualTo(before);
    assertThat(before.getFirst().intervals()).hasSize(2);
  }

  @Test
  void silencesOfHoursDoNotHideTheFirstAndTheLastSample() throws Exception {
    send(0, "G0", "x");
    long first = 1_000;
    long last = 6_000;
    send(first, "G1", "a");
    send(last, "G1", "a");
    send(10_000, "G0", "x");
    writer.sealAll(20_000 * TICK);
    for (long from : new long[] {0, 1, 999, 1_000}) {
      for (long to : new long[] {6_000, 6_001, 9_999, 10_000}) {
        assertThat(find(from * TICK, to * TICK, 0, "{UUID=\"G1\"}").series().getFirst().intervals())
            .containsExactly(new Interval(job("a"), first * TICK, last * TICK));
      }
    }
    assertThat(
            find(first * TICK + 1, last * TICK, 0, "{UUID=\"G1\"}").series().getFirst().intervals())
        .containsExactly(new Interval(job("a"), last * TICK, last * TICK));
    assertThat(find(first * TICK + 1, last * TICK - 1, 0, "{UUID=\"G1\"}").series()).isEmpty();
  }

  @Test
  void twoIntervalsOfOneOwnerWithoutTimeBetweenThemAreOne() throws Exception {
    // After a restart the owner of a block's end and of the next block's beginning are the same.
    long ticks = 4 * HostWriter.BLOCK_MILLIS / TICK;
    for (long tick = 0; tick < ticks; tick++) {
      send(tick, "G1", "a");
    }
    writer.sealAll(ticks * TICK);
    writer.restart();
    assertThat(findAll().series().getFirst().intervals()).hasSize(1);
  }

  @Test
  void aHostWithoutSamplesHasNoOwners() throws Exception {
    writer.lane();
    assertThat(findAll().series()).isEmpty();
    assertThat(
            writer
                .store()
                .owners(List.of("n9"), new SeriesSearch(0, 1, 0, List.of()), Assertions::fail)
                .series())
        .isEmpty();
  }

  @Test
  void aHostWithSamplesElsewhereIsReported() {
    send(1, "G1", "a");
    writer.lane().missing().gap(0, 10 * TICK);
    List<String> incomplete = new ArrayList<>();
    SeriesSearch search = new SeriesSearch(0, TICK, 0, List.of());
    writer.store().owners(List.of("n1"), search, incomplete::add);
    assertThat(incomplete).containsExactly("n1");
  }

  /** Every sample that a query returns lies in an interval of the owner in its labels. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void everySampleLiesInAnIntervalOfItsOwner(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    String[] jobs = {"", "a", "b", "c"};
    String[] current = {"", "a", "b"};
    long end = 3 * HostWriter.BLOCK_MILLIS / TICK;
    for (long tick = 0; tick < end; tick++) {
      for (int gpu = 0; gpu < current.length; gpu++) {
        if (random.nextInt(40) == 0) {
          current[gpu] = jobs[random.nextInt(jobs.length)];
        }
        if (random.nextInt(10) > 0) {
          send(tick, "G" + gpu, current[gpu]);
        }
      }
      if (random.nextInt(100) == 0) {
        writer.sealAll(tick * TICK);
      }
    }
    long from = random.nextLong(end / 2) * TICK;
    long to = from + random.nextLong(end) * TICK;
    List<OwnedSeries> owners = find(from, to, 0).series();
    Selection selection = new Selection(Parser.parseSelector("util"), from - 1, to);
    List<Series> samples =
        writer.store().select(List.of("n1"), selection, 1 << 20, Assertions::fail, StopCheck.NEVER);
    for (OwnedSeries each : owners) {
      long before = from - 1;
      for (Interval interval : each.intervals()) {
        assertThat(interval.from()).isGreaterThan(before);
        assertThat(interval.to()).isBetween(interval.from(), to);
        before = interval.to();
      }
    }
    for (Series series : samples) {
      Labels owner = series.labels().only(List.of("job"));
      for (int i = 0; i < series.size(); i++) {
        long time = series.times()[i];
        if (!Staleness.isMarker(series.values()[i])) {
          assertThat(owners)
              .filteredOn(
                  each -> each.identity().value("UUID").equals(series.labels().value("UUID")))
              .anySatisfy(
                  each ->
                      assertThat(each.intervals())
                          .anyMatch(
                              interval ->
                                  interval.owner().equals(owner)
                                      && interval.from() <= time
                                      && time <= interval.to()));
        }
      }
    }
    assertThat(samples).isNotEmpty();
  }
}

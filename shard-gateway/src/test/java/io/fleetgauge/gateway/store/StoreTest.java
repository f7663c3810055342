package io.fleetgauge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreTest {
  private static final SeriesSearch EVERYTHING =
      new SeriesSearch(-1L << 53, 1L << 53, 0, List.of());
  private static final Duration HOUR = Duration.ofHours(1);

  private final long now = 1_000_000_000L;
  private final Store store = store(5);

  @Test
  void aSelectionIsOpenOnTheLeftAndClosedOnTheRight() throws Exception {
    append("n1", "up", 1_000, 1);
    append("n1", "up", 2_000, Staleness.MARKER);
    append("n1", "up", 3_000, 3);
    List<Series> found = select("{__name__=\"up\"}", 1_000, 3_000, 10);
    assertThat(found)
        .containsExactly(
            new Series(
                Labels.of(Labels.NAME, "up", "Hostname", "n1"),
                new long[] {2_000, 3_000},
                new double[] {Staleness.MARKER, 3}));
    assertThat(select("up", 3_000, 9_000, 10)).isEmpty();
    assertThat(select("nosuch", 0, 9_000, 10)).isEmpty();
  }

  @Test
  void everyOutcomeOfASampleIsCountedOnce() {
    append("n1", "up", 1_000, 1);
    append("n1", "up", 2_000, 1);
    append("n1", "up", 2_000, 1);
    append("n1", "up", 2_000, 2);
    append("n1", "up", 1_500, 1);
    append("n1", "up", 2_000 - HOUR.toMillis() / 2 - 1, 1);
    append("n1", "up", now + 600_001, 1);
    for (String name : List.of("b", "c", "d", "e", "f", "g")) {
      append("n1", name, 2_000, 1);
    }
    StoreCounts counts = store.counts();
    assertThat(counts.stored.sum()).isEqualTo(7);
    assertThat(counts.repeated.sum()).isEqualTo(1);
    assertThat(counts.conflicting.sum()).isEqualTo(1);
    assertThat(counts.tooOld.sum()).isEqualTo(1);
    assertThat(counts.late.sum()).isEqualTo(1);
    assertThat(counts.future.sum()).isEqualTo(1);
    assertThat(counts.overLimit.sum()).isEqualTo(2);
    assertThat(store.seriesCount()).isEqualTo(5);
  }

  @Test
  void theSameMarkerTwiceIsARepetitionAndAnySampleTakesItsPlace() throws Exception {
    append("n1", "up", 1_000, Staleness.MARKER);
    append("n1", "up", 1_000, Staleness.MARKER);
    append("n1", "up", 1_000, Double.NaN);
    append("n1", "up", 1_000, Staleness.MARKER);
    append("n1", "up", 1_000, 3);
    assertThat(store.counts().repeated.sum()).isEqualTo(2);
    assertThat(store.counts().conflicting.sum()).isEqualTo(1);
    assertThat(select("up", 0, 1_000, 10).getFirst().values()).containsExactly(Double.NaN);
  }

  @Test
  void oneWrongClockDoesNotEndTheHistory() throws Exception {
    append("n1", "up", 1_000, 1);
    append("n1", "up", now + 365L * 86_400_000, 1);
    assertThat(select("up", 0, now, 10)).hasSize(1);
  }

  @Test
  void newSeriesAboveALimitAreRefusedWithTheFigureAndKnownOnesAreTaken() {
    Store small =
        new Store(
            Path.of("nowhere"),
            new StoreLimits(HOUR, 1, HOUR, HOUR.dividedBy(2), HOUR, 4, 3, 6),
            Dimensions.DEFAULT);
    for (int i = 0; i < 3; i++) {
      assertThat(refusal(small, "n1", "m", i, "blue", 1_000)).isEmpty();
    }
    assertThat(refusal(small, "n2", "m", 3, "blue", 1_000))
        .contains("the tenant blue has the 3 series that store.maxSeriesPerTenant allows");
    assertThat(refusal(small, "n1", "m", 3, "", 1_000)).isEmpty();
    assertThat(refusal(small, "n1", "m", 4, "", 1_000))
        .contains("the host n1 has the 4 series that store.maxSeriesPerHost allows");
    assertThat(refusal(small, "n2", "m", 5, "red", 1_000)).isEmpty();
    assertThat(refusal(small, "n2", "m", 6, "red", 1_000)).isEmpty();
    assertThat(refusal(small, "n3", "m", 7, "", 1_000))
        .contains("this gateway has the 6 series that store.maxSeries allows")
        .contains("i=\"7\"");
    assertThat(refusal(small, "n1", "m", 0, "blue", 2_000)).isEmpty();
    assertThat(small.seriesCount()).isEqualTo(6);
    // A GPU that changes its tenant adds no series, and counts for the other one from then on.
    small.forget("n1");
    assertThat(small.seriesCount()).isEqualTo(2);
    assertThat(refusal(small, "n1", "gpu", 0, "red", 1_000)).isEmpty();
    assertThat(refusal(small, "n1", "gpu", 0, "blue", 2_000)).isEmpty();
    assertThat(small.seriesCount()).isEqualTo(3);
    assertThat(refusal(small, "n4", "m", 9, "red", 1_000)).isEmpty();
    assertThat(refusal(small, "n4", "m", 10, "red", 1_000)).contains("the tenant red");
  }

  private static String refusal(
      Store store, String host, String name, int i, String tenant, long time) {
    Lane lane = store.lane(host);
    Labels labels =
        Labels.of(
            Labels.NAME,
            name,
            "i",
            "" + i,
            "tenant",
            tenant,
            "UUID",
            name.equals("gpu") ? "GPU-1" : "");
    WriteOutcome outcome = new WriteOutcome();
    lane.append(
        Lane.Source.SENDER,
        time,
        Long.MAX_VALUE,
        new Lane.Handle[] {lane.handle(labels)},
        new double[] {1},
        null,
        outcome);
    return outcome.refusal();
  }

  @Test
  void moreSamplesThanTheBudgetAreAnErrorThatSaysIt() {
    for (int i = 0; i < 11; i++) {
      append("n1", "up", i, i);
    }
    assertThatThrownBy(() -> select("up", -1, now, 10))
        .isInstanceOf(TooManySamples.class)
        .hasMessageContaining("the limit is 10");
  }

  @Test
  void readingEndsBetweenSeriesWhenItIsTold() throws Exception {
    append("n1", "up", 1, 1);
    append("n2", "up", 1, 1);
    AtomicInteger looks = new AtomicInteger();
    QueryFailure gone = new QueryFailure(QueryFailure.Kind.CANCELED, "gone");
    StopCheck stop =
        () -> {
          looks.incrementAndGet();
          return Optional.of(gone);
        };
    Selection all = new Selection(List.of(), -1, now);
    assertThatThrownBy(() -> store.select(List.of("n1", "n2"), all, 10, host -> {}, stop))
        .isSameAs(gone);
    assertThat(looks).hasValue(1);
  }

  @Test
  void labelsAreListedForTheHostsAndTimesThatAreAskedFor() throws Exception {
    append("n1", "up", 1_000, 1);
    append("n2", "up", 2_000, 1);
    append("n2", "down", 3_000, 1);
    List<String> both = List.of("n1", "n2", "nosuch");
    assertThat(store.labelNames(both, EVERYTHING, Assertions::fail))
        .containsExactly("Hostname", "__name__");
    assertThat(store.labelValues(both, "Hostname", EVERYTHING, Assertions::fail))
        .containsExactly("n1", "n2");
    assertThat(store.labelValues(List.of("n1"), "Hostname", EVERYTHING, Assertions::fail))
        .containsExactly("n1");
    assertThat(store.labelValues(both, "nosuch", EVERYTHING, Assertions::fail)).isEmpty();
    assertThat(
            store.labelSets(both, new SeriesSearch(2_000, 2_000, 0, List.of()), Assertions::fail))
        .containsExactly(Labels.of(Labels.NAME, "up", "Hostname", "n2"));
    List<List<Matcher>> either =
        List.of(Parser.parseSelector("down"), Parser.parseSelector("{Hostname=\"n1\"}"));
    assertThat(store.labelSets(both, new SeriesSearch(0, now, 0, either), Assertions::fail))
        .hasSize(2);
    assertThat(store.labelSets(both, new SeriesSearch(0, now, 1, either), Assertions::fail))
        .hasSize(1);
  }

  /** A selection by the store against the same selection from a list. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whatIsReadIsWhatWasWritten(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    Store large = store(1_000);
    List<Series> written = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      Labels labels =
          Labels.of(Labels.NAME, "m" + i % 5, "i", "" + i, "rack", i % 3 == 0 ? "" : "r" + i % 3);
      long[] times = new long[random.nextInt(200)];
      double[] values = new double[times.length];
      long time = random.nextLong(10_000);
      Lane lane = large.lane("n" + i % 4);
      Lane.Handle handle = lane.handle(labels);
      for (int j = 0; j < times.length; j++) {
        time += 1 + random.nextLong(1_000);
        times[j] = time;
        values[j] = random.nextInt(9) == 0 ? Staleness.MARKER : random.nextDouble();
        write(lane, time, handle, values[j]);
      }
      written.add(new Series(labels, times, values));
    }
    List<String> hosts = List.of("n0", "n1", "n2", "n3");
    for (String selector :
        List.of(
            "m1",
            "{rack=\"\",i=~\".+\"}",
            "{rack!=\"r1\",__name__=~\"m[24]\"}",
            "m3{i!~\"1.*\"}")) {
      List<Matcher> matchers = Parser.parseSelector(selector);
      long from = random.nextLong(80_000);
      long to = from + random.nextLong(80_000);
      List<Series> expected = new ArrayList<>();
      for (Series series : written) {
        int first = Series.firstAfter(series.times(), 0, series.size(), from);
        int end = Series.firstAfter(series.times(), 0, series.size(), to);
        if (first < end && matchers.stream().allMatch(m -> m.matches(series.labels()))) {
          expected.add(
              new Series(
                  series.labels(),
                  Arrays.copyOfRange(series.times(), first, end),
                  Arrays.copyOfRange(series.values(), first, end)));
        }
      }
      assertThat(
              large.select(
                  hosts, new Selection(matchers, from, to), 1_000_000, host -> {}, StopCheck.NEVER))
          .containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @Test
  void readersBesideAWriterSeeNoHoleAndEveryTickWhole() throws Exception {
    Store busy = store(100);
    AtomicBoolean done = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread reader =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    List<Matcher> all = Parser.parseSelector("{Hostname=\"n1\"}");
                    while (!done.get()) {
                      Selection selection = new Selection(all, -1, Long.MAX_VALUE);
                      List<Series> found =
                          busy.select(
                              List.of("n1"), selection, 1 << 30, host -> {}, StopCheck.NEVER);
                      assertThat(found.size()).isIn(0, 20);
                      for (Series series : found) {
                        assertThat(series.times()[series.size() - 1])
                            .isEqualTo(found.getFirst().times()[found.getFirst().size() - 1]);
                        for (int i = 0; i < series.size(); i++) {
                          assertThat(series.times()[i]).isEqualTo(series.times()[0] + i);
                          assertThat(series.values()[i]).isEqualTo(series.times()[i]);
                        }
                      }
                    }
                  } catch (Throwable e) {
                    failure.set(e);
                  }
                });
    Lane lane = busy.lane("n1");
    Lane.Handle[] handles = new Lane.Handle[20];
    for (int i = 0; i < handles.length; i++) {
      handles[i] = lane.handle(Labels.of(Labels.NAME, "m" + i, "Hostname", "n1"));
    }
    double[] values = new double[handles.length];
    for (int time = 0; time < 60_000; time++) {
      Arrays.fill(values, time);
      lane.append(
          Lane.Source.SENDER, time, Long.MAX_VALUE, handles, values, null, new WriteOutcome());
    }
    done.set(true);
    reader.join();
    assertThat(failure.get()).isNull();
  }

  private void append(String host, String name, long time, double value) {
    Lane lane = store.lane(host);
    Lane.Handle handle = lane.handle(Labels.of(Labels.NAME, name, "Hostname", host));
    write(lane, time, handle, value);
  }

  private void write(Lane lane, long time, Lane.Handle handle, double value) {
    WriteOutcome outcome = new WriteOutcome();
    lane.append(
        Lane.Source.SENDER,
        time,
        now + 600_000,
        new Lane.Handle[] {handle},
        new double[] {value},
        null,
        outcome);
    outcome.addTo(lane.counts());
  }

  private static Store store(int maxSeriesPerHost) {
    return new Store(
        Path.of("nowhere"),
        new StoreLimits(
            Duration.ofDays(365),
            1 << 30,
            HOUR,
            HOUR.dividedBy(2),
            Duration.ofMinutes(10),
            maxSeriesPerHost,
            1_000,
            10_000),
        Dimensions.DEFAULT);
  }

  private List<Series> select(String selector, long from, long to, long budget) throws Exception {
    Selection selection = new Selection(Parser.parseSelector(selector), from, to);
    return store.select(List.of("n1", "n2"), selection, budget, host -> {}, StopCheck.NEVER);
  }
}

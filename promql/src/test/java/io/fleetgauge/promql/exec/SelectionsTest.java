package io.fleetgauge.promql.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.RandomQueries;
import io.fleetgauge.promql.query.RandomSeries;
import io.fleetgauge.promql.query.SamplesRead;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a query announces that it will read is what it reads. */
class SelectionsTest {
  private static Query query(String text, long start, long end, long step) throws Exception {
    return new Query(text, Parser.parse(text), start, end, step, Query.Settings.STOCK);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theEvaluatorReadsTheAnnouncedSelectionsAndNoOther(long seed) throws Exception {
    InMemorySeries series =
        new InMemorySeries(new RandomSeries(new SplittableRandom(seed), true).host("n1"));
    RandomQueries queries = new RandomQueries(seed);
    for (int i = 0; i < 400; i++) {
      String text = queries.next();
      for (Query query :
          List.of(query(text, 90_000, 90_000, 0), query(text, 20_000, 160_000, 10_000))) {
        Set<Selection> announced = Set.copyOf(Engine.selections(query, Set.of()));
        Set<Selection> read = new HashSet<>();
        SeriesSource source =
            (selection, receiver) -> {
              read.add(selection);
              series.select(selection, receiver);
            };
        boolean failed = false;
        try {
          Engine.run(query, source, StopCheck.NEVER);
        } catch (QueryFailure e) {
          failed = true;
        }
        assertThat(announced).as("number %d, %s", i, text).containsAll(read);
        if (!failed) {
          assertThat(read).as("number %d, %s", i, text).isEqualTo(announced);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "x; -200000; 160000",
        "x offset 1m; -260000; 100000",
        "x offset -1m; -140000; 220000",
        "x @ 50; -250000; 50000",
        "x @ start(); -200000; 100000",
        "x @ end() offset 10s; -150000; 150000",
        "rate(x[1m]); 40000; 160000",
        "rate(x[1m] offset 1m); -20000; 100000",
        "rate(x[1m] @ 100); 40000; 100000",
        "max_over_time(x[1m:30s]); -240000; 150000",
        "max_over_time(x[1m:30s] @ 60); -270000; 60000",
        "max_over_time(rate(x[1m])[1m:30s]); 0; 150000",
        "sum(x) by (gpu); -200000; 160000",
      })
  void aSelectorReadsItsLookbackAndAWindowItsRange(String text, long from, long to)
      throws Exception {
    assertThat(Engine.selections(query(text, 100_000, 160_000, 20_000), Set.of()))
        .containsExactly(new Selection(List.of(Matcher.equal("__name__", "x")), from, to));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "x; 4; 0",
        "x + x; 8; 0",
        "x @ 100; 1; 0",
        "rate(x[1m]); 4; 0",
        "sum(max_over_time(x[1m])); 4; 240000",
        "quantile_over_time(0.5, x[3h]); 4; 43200000",
        "x - max_over_time(x[5m]); 8; 1200000",
        "max_over_time(x[1m] @ 100); 1; 60000",
        "max_over_time(x[1m:30s]); 12; 0",
        "sum_over_time(max_over_time(x[1m])[1m:30s]); 12; 240000",
        "max_over_time((sum_over_time(x[1m:30s]))[2m:1m]); 21; 0",
      })
  void aWindowIsReadAgainAtEachStepUnlessItsEndsAreEnough(
      String text, double looks, double windowMillis) throws Exception {
    List<SamplesRead> reads = Engine.reads(query(text, 100_000, 160_000, 20_000));
    assertThat(reads.stream().mapToDouble(SamplesRead::looks).sum()).isEqualTo(looks);
    assertThat(reads.stream().mapToDouble(SamplesRead::windowMillis).sum()).isEqualTo(windowMillis);
    assertThat(reads)
        .extracting(SamplesRead::selection)
        .isEqualTo(Engine.selections(query(text, 100_000, 160_000, 20_000), Set.of()));
  }

  @Test
  void whatIsStoredIsReadOnceAtLeast() {
    Selection hour = new Selection(List.of(), 0, 3_600_000);
    assertThat(new SamplesRead(hour, 1, 0).samples(2, 0.001)).isEqualTo(3_600);
    assertThat(new SamplesRead(hour, 5_000, 0).samples(2, 0.001)).isEqualTo(10_000);
    assertThat(new SamplesRead(hour, 100, 1e9).samples(2, 0.001)).isEqualTo(1_000_200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "quantile_over_time(0.5, x[5m])", "stddev_over_time(x[1m])"})
  void theEstimateIsWhatTheEvaluatorCounts(String text) throws Exception {
    long[] times = new long[400];
    for (int i = 0; i < times.length; i++) {
      times[i] = i * 1_000L;
    }
    Series series = new Series(Labels.of("__name__", "x"), times, new double[times.length]);
    Query query = query(text, 300_000, 399_000, 3_000);
    SamplesRead read = Engine.reads(query).getFirst();
    long counted =
        Engine.run(query, (selection, receiver) -> receiver.accept(series), StopCheck.NEVER)
            .stats()
            .samples();
    assertThat(counted / (read.looks() + 0.001 * read.windowMillis())).isBetween(0.9, 1.1);
  }

  @Test
  void partsThatAreEvaluatedElsewhereAreNotRead() throws Exception {
    Query query = query("sum(x) / y", 100_000, 100_000, 0);
    var sum = query.expr().children().getFirst();
    assertThat(Engine.selections(query, Set.of(sum)))
        .extracting(selection -> selection.matchers().toString())
        .containsExactly("[__name__=\"y\"]");
  }

  @Test
  void eachSelectionIsReadOnce() throws Exception {
    assertThat(Engine.selections(query("x + x + rate(x[5m])", 0, 0, 0), Set.of())).hasSize(1);
    assertThat(Engine.selections(query("x + x offset 1m", 0, 0, 0), Set.of())).hasSize(2);
  }

  @Test
  void aRangeQueryOfARangeOrATextIsRefused() {
    for (String text : List.of("x[5m]", "\"text\"")) {
      assertThatThrownBy(() -> Engine.selections(query(text, 0, 10_000, 1_000), Set.of()))
          .isInstanceOf(QueryFailure.class)
          .hasMessageStartingWith("invalid expression type")
          .hasMessageEndingWith("for range query, must be Scalar or instant Vector");
    }
  }
}

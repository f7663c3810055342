package io.fleetgauge.promql.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineTest {
  private static final Query.Settings SETTINGS = Query.Settings.STOCK.withMaxSamples(1_000_000);
  private static final Optional<QueryFailure> CANCELLED =
      Optional.of(new QueryFailure(QueryFailure.Kind.CANCELED, "left"));

  private static final List<Series> STORED =
      List.of(
          series("power", "gpu", "0", 0, 100, 15, 110, 30, 120, 45, 130),
          series("power", "gpu", "1", 0, 200, 15, 210, 30, Staleness.MARKER),
          series("energy_total", "gpu", "0", 0, 0, 15, 150, 30, 300, 45, 20));

  @Test
  void aSampleIsSeenUntilTheLookbackHasPassed() throws Exception {
    assertThat(instant("power{gpu=\"0\"}", 344_999)).hasToString("[power{gpu=\"0\"} 130.0]");
    assertThat(instant("power{gpu=\"0\"}", 345_000)).isEmpty();
  }

  @Test
  void aMarkerEndsASeriesAtOnce() throws Exception {
    assertThat(instant("sum(power)", 29_999)).hasToString("[{} 320.0]");
    assertThat(instant("sum(power)", 30_000)).hasToString("[{} 120.0]");
    assertThat(instant("count_over_time(power{gpu=\"1\"}[1m])", 30_000))
        .hasToString("[{gpu=\"1\"} 2.0]");
  }

  @Test
  void windowsAreOpenOnTheLeft() throws Exception {
    assertThat(instant("count_over_time(power{gpu=\"0\"}[30s])", 30_000))
        .hasToString("[{gpu=\"0\"} 2.0]");
    assertThat(instant("rate(energy_total[15s])", 30_000)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "power > 115 | [power{gpu=\"0\"} 130.0]",
        "115 < power | [power{gpu=\"0\"} 130.0]",
        "power > bool 500 | [{gpu=\"0\"} 0.0]",
        "power * 2 + 1 | [{gpu=\"0\"} 261.0]",
        "-power | [{gpu=\"0\"} -130.0]",
        "power offset 30s | [power{gpu=\"0\"} 110.0, power{gpu=\"1\"} 210.0]",
        "power @ 0 | [power{gpu=\"0\"} 100.0, power{gpu=\"1\"} 200.0]",
        "increase(energy_total[1m]) | [{gpu=\"0\"} 320.0]",
        "last_over_time(power{gpu=\"1\"}[1m]) | [power{gpu=\"1\"} 210.0]",
        "absent_over_time(power{gpu=\"7\",a=~\"b\"}[1m]) | [{gpu=\"7\"} 1.0]",
        "absent_over_time(power[1m]) | []",
        "sum without (gpu) (power) | [{} 130.0]",
        "power @ 0 - power @ 15 | [{gpu=\"0\"} -10.0, {gpu=\"1\"} -10.0]",
        "power @ 0 > on (gpu) (power @ 15 - 15) | [{gpu=\"0\"} 100.0, {gpu=\"1\"} 200.0]",
        "clamp_max(power @ 0, 150) | [{gpu=\"0\"} 100.0, {gpu=\"1\"} 150.0]",
        "vector(time()) | [{} 45.0]",
        "power * scalar(energy_total) | [{gpu=\"0\"} 2600.0]",
        "absent(power{gpu=\"9\"}) | [{gpu=\"9\"} 1.0]",
        "power and energy_total | [power{gpu=\"0\"} 130.0]",
        "power @ 0 unless energy_total | [power{gpu=\"1\"} 200.0]",
        "energy_total or power @ 0 | [energy_total{gpu=\"0\"} 20.0, power{gpu=\"1\"} 200.0]",
        "power @ 0 / on () group_left sum(power @ 0) | [{gpu=\"0\"} 0.3333333333333333,"
            + " {gpu=\"1\"} 0.6666666666666666]",
        "avg by (gpu) (power @ 0) | [{gpu=\"0\"} 100.0, {gpu=\"1\"} 200.0]"
      })
  void anInstantQueryAnswers(String query, String answer) throws Exception {
    assertThat(instant(query, 45_000)).hasToString(answer);
  }

  @Test
  void aRangeQueryAnswersAtEachStepInOrderOfLabels() throws Exception {
    Answer answer = run(range("power / 10", 0, 60_000, 20_000, SETTINGS.withLookback(30_000)));
    assertThat(((Answer.Matrix) answer.result()).series())
        .containsExactly(
            new Series(
                Labels.of("gpu", "0"),
                new long[] {0, 20_000, 40_000, 60_000},
                new double[] {10, 11, 12, 13}),
            new Series(Labels.of("gpu", "1"), new long[] {0, 20_000}, new double[] {20, 21}));
  }

  @Test
  void rateOfWhatIsNotNamedLikeACounterIsRemarkedOn() throws Exception {
    Answer answer = run(at("sum(rate(power[1m]))", 45_000));
    assertThat(answer.infos())
        .containsExactly(
            "PromQL info: metric might not be a counter, name does not end in"
                + " _total/_sum/_count/_bucket: \"power\" (1:10)");
    assertThat(run(at("rate(energy_total[1m])", 45_000)).infos()).isEmpty();
  }

  @Test
  void seriesThatBecomeEqualAreAnErrorWhereTheyMeet() {
    assertThatThrownBy(() -> run(at("rate({gpu=\"0\"}[1m])", 45_000)))
        .isInstanceOf(QueryFailure.class)
        .hasMessage("vector cannot contain metrics with the same labelset");
  }

  @Test
  void moreSamplesThanAllowedAreAnErrorThatSaysTheLimit() {
    assertThatThrownBy(() -> run(range("power", 0, 1_000_000, 1, SETTINGS.withMaxSamples(5_000))))
        .hasMessageContaining("the limit is 5000");
  }

  /** More samples than are allowed go through a fold, because it keeps none of them. */
  @Test
  void anAggregationHoldsNoMoreThanItsGroups() throws Exception {
    long limit = 5_000;
    Query.Settings settings = SETTINGS.withMaxSamples(limit);
    String folded = "sum by (rack) (rate(many[1m])) + on () group_left count(abs(many))";
    Answer answer =
        Engine.run(range(folded, 0, 100_000, 1_000, settings), EngineTest::many, StopCheck.NEVER);
    assertThat(answer.stats().samples()).isGreaterThan(20 * limit);
    assertThat(answer.stats().peakSamples()).isLessThan(limit);
    for (String held : List.of("many", "many - many", "quantile(0.5, many)", "sort(many)")) {
      assertThatThrownBy(
              () ->
                  Engine.run(
                      range(held, 0, 100_000, 1_000, settings), EngineTest::many, StopCheck.NEVER))
          .hasMessage(
              "query processing would load too many samples into memory in query execution; the"
                  + " limit is 5000");
    }
  }

  /** What one part of a query held is free again for the next. */
  @Test
  void whatIsNoLongerHeldIsNoLongerCounted() throws Exception {
    for (String part :
        List.of("few * few", "few or few", "topk(2, few)", "few and few", "quantile(0.5, few)")) {
      long once = peak("sum(" + part + ")");
      assertThat(peak("sum(" + part + ")" + (" + sum(" + part + ")").repeat(20)))
          .as(part)
          .isLessThan(once + 25 * 101);
    }
  }

  private static long peak(String query) throws Exception {
    SeriesSource few =
        (selection, receiver) -> {
          int[] left = {50};
          many(
              selection,
              series -> {
                if (left[0]-- > 0) {
                  receiver.accept(
                      new Series(
                          series.labels().with(Labels.NAME, "few"),
                          series.times(),
                          series.values()));
                }
              });
        };
    return Engine.run(range(query, 0, 100_000, 1_000, SETTINGS), few, StopCheck.NEVER)
        .stats()
        .peakSamples();
  }

  private static void many(Selection selection, SeriesSource.Receiver receiver)
      throws QueryFailure {
    long[] times = new long[101];
    double[] values = new double[101];
    for (int i = 0; i < times.length; i++) {
      times[i] = i * 1_000L;
      values[i] = i;
    }
    for (int i = 0; i < 2_000; i++) {
      Labels labels = Labels.of(Labels.NAME, "many", "host", "h" + i, "rack", "r" + i % 4);
      receiver.accept(new Series(labels, times, values));
    }
  }

  @Test
  void whatAnAtFixesIsEvaluatedAtOneStep() throws Exception {
    Answer fixed =
        Engine.run(
            range("sum(rate(many[1m] @ 90))", 0, 100_000, 1_000, SETTINGS),
            EngineTest::many,
            StopCheck.NEVER);
    Answer moving =
        Engine.run(
            range("sum(rate(many[1m]))", 0, 100_000, 1_000, SETTINGS),
            EngineTest::many,
            StopCheck.NEVER);
    assertThat(moving.stats().samples()).isGreaterThan(40 * fixed.stats().samples());
    Series constant = ((Answer.Matrix) fixed.result()).series().getFirst();
    assertThat(constant.size()).isEqualTo(101);
    assertThat(constant.values()).containsOnly(constant.values()[0]);
  }

  /** However long the loop: after the sign, only so much work is done. */
  @Test
  void aQueryToldToStopStopsInTheMiddleOfASeries() {
    long[] times = new long[200_000];
    double[] values = new double[times.length];
    for (int i = 0; i < times.length; i++) {
      times[i] = i;
    }
    SeriesSource one =
        (selection, receiver) ->
            receiver.accept(new Series(Labels.of(Labels.NAME, "one"), times, values));
    for (String query :
        List.of(
            "quantile_over_time(0.5, one[3m])",
            "stddev_over_time(one[3m])",
            "max_over_time(max_over_time(one[3m])[3m:1s])")) {
      int[] looks = new int[1];
      StopCheck third = () -> ++looks[0] < 3 ? Optional.empty() : CANCELLED;
      assertThatThrownBy(() -> Engine.run(range(query, 0, 199_000, 20, SETTINGS), one, third))
          .isInstanceOfSatisfying(
              QueryFailure.class,
              failure -> assertThat(failure.kind()).isEqualTo(QueryFailure.Kind.CANCELED));
      assertThat(looks[0]).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " | ",
      quoteCharacter = '~',
      value = {
        "label_replace(power, 'a', 'b', 'c', '(') | invalid regular expression in label_replace():"
            + " (",
        "label_replace(power, '', 'b', 'c', '') | invalid destination label name in"
            + " label_replace():",
        "label_join(power, '', 'b', 'gpu') | invalid destination label name in label_join():",
        "count_values('', power) | invalid label name \"\"",
        "topk(NaN, power) | Scalar value NaN overflows int64",
        "bottomk(1e20, power) | Scalar value 100000000000000000000 overflows int64",
        "abs({gpu='0'}) | vector cannot contain metrics with the same labelset",
        "-{gpu='0'} | vector cannot contain metrics with the same labelset",
        "power + on () power | found duplicate series for the match group {} on the right"
            + " hand-side of the operation: [{__name__=\"power\", gpu=\"0\"}, {__name__=\"power\","
            + " gpu=\"1\"}];many-to-many matching not allowed: matching labels must be unique on"
            + " one side",
        "power * on (x) energy_total | multiple matches for labels: many-to-one matching must be"
            + " explicit (group_left/group_right)",
        "power * on () group_left (gpu) energy_total | multiple matches for labels: grouping labels"
            + " must ensure unique matches"
      })
  void whatHasNoAnswerFailsWithPrometheussWords(String query, String error) {
    assertThatThrownBy(() -> run(at(query.replace('\'', '"'), 15_000)))
        .isInstanceOfSatisfying(
            QueryFailure.class,
            failure -> {
              assertThat(failure.kind()).isEqualTo(QueryFailure.Kind.EXECUTION);
              assertThat(failure.getMessage().strip()).isEqualTo(error);
            });
  }

  /** Each call doubles the value, so that a short query would fill the memory. */
  @Test
  void aLabelThatAQueryMakesHasALimit() throws Exception {
    String eight = "label_replace(power, 'a', 'xxxxxxxx', '', '')";
    for (String doubled :
        List.of(
            "label_join(%s, 'a', '', 'a', 'a')", "label_replace(%s, 'a', '$1$1', 'a', '(.*)')")) {
      String query = eight;
      for (int i = 0; i < 13; i++) {
        query = doubled.formatted(query);
      }
      String longest = query.replace('\'', '"');
      assertThat(instant("count by (a) (" + longest + ")", 15_000))
          .as("65,536 characters")
          .singleElement();
      String more = doubled.replace('\'', '"').formatted(longest);
      for (int i = 0; i < 40; i++) {
        more = doubled.replace('\'', '"').formatted(more);
      }
      String tooLong = more;
      assertThatThrownBy(() -> run(at(tooLong, 15_000)))
          .isInstanceOf(QueryFailure.class)
          .hasMessage(
              doubled.substring(0, doubled.indexOf('('))
                  + "(): the value of label a would have more than the 65536 characters that are"
                  + " allowed");
    }
  }

  @Test
  void oneCallThatRepeatsALongValueOftenIsRefusedBeforeItIsMade() throws Exception {
    String value = "label_replace(power, \"a\", \"" + "x".repeat(60_000) + "\", \"\", \"\")";
    String join = "label_join(" + value + ", \"b\", \"-\"" + ", \"a\"".repeat(20_000) + ")";
    String replace =
        "label_replace(" + value + ", \"b\", \"" + "$1".repeat(200_000) + "\", \"a\", \"(.*)\")";
    for (String query : List.of(join, replace)) {
      assertThatThrownBy(() -> run(at(query, 15_000)))
          .isInstanceOf(QueryFailure.class)
          .hasMessageContaining("the 65536 characters that are allowed");
    }
  }

  @Test
  void longLabelsCountAsSamplesInMemory() throws Exception {
    String value =
        "label_replace(power, \"a\", \"${1}" + "x".repeat(60_000) + "\", \"gpu\", \"(.*)\")";
    Query.Settings few = SETTINGS.withMaxSamples(7_000);
    run(range("count(power)", 15_000, 15_000, 1, few));
    assertThatThrownBy(() -> run(range("count(" + value + ")", 15_000, 15_000, 1, few)))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("too many samples into memory");
  }

  /** On a stack of the size that the launcher gives to threads. */
  @Test
  void theLongestAndTheDeepestQueriesFitTheStack() throws Exception {
    List<String> queries =
        List.of(
            "power" + " + power".repeat(2_000),
            "power" + " * 1".repeat(2_000),
            "power" + " and power".repeat(2_000),
            "power" + " or power".repeat(2_000),
            "abs(".repeat(249) + "power" + ")".repeat(249),
            "-".repeat(200) + "power",
            "sum by (gpu) (".repeat(249) + "power" + ")".repeat(249),
            "max_over_time(".repeat(120) + "power" + "[1m:30s])".repeat(120));
    List<Throwable> failures = new ArrayList<>();
    Thread thread =
        new Thread(
            () -> {
              for (String query : queries) {
                try {
                  run(at(query, 15_000));
                } catch (Exception | StackOverflowError e) {
                  failures.add(e);
                }
              }
            });
    thread.start();
    thread.join();
    assertThat(failures).isEmpty();
  }

  @Test
  void aCancelledQueryEnds() throws Exception {
    assertThatThrownBy(() -> Engine.run(at("power", 0), EngineTest::select, () -> CANCELLED))
        .isInstanceOfSatisfying(
            QueryFailure.class,
            failure -> assertThat(failure.kind()).isEqualTo(QueryFailure.Kind.CANCELED));
  }

  @Test
  void aRangeQueryRefusesWhatHasNoValueAtAStep() {
    assertThatThrownBy(() -> run(range("a[5m]", 0, 10, 1, SETTINGS)))
        .hasMessage(
            "invalid expression type \"range vector\" for range query, must be Scalar or instant"
                + " Vector");
  }

  private static List<String> instant(String query, long time) throws Exception {
    List<String> lines = new ArrayList<>();
    for (Answer.Sample sample : ((Answer.Vector) run(at(query, time)).result()).samples()) {
      lines.add(sample.labels() + " " + sample.value());
    }
    return lines;
  }

  private static Query at(String query, long time) throws Exception {
    return new Query(query, Parser.parse(query), time, time, 0, SETTINGS);
  }

  private static Query range(String query, long start, long end, long step, Query.Settings settings)
      throws Exception {
    return new Query(query, Parser.parse(query), start, end, step, settings);
  }

  private static Answer run(Query query) throws QueryFailure {
    return Engine.run(query, EngineTest::select, StopCheck.NEVER);
  }

  private static void select(Selection selection, SeriesSource.Receiver receiver)
      throws QueryFailure {
    for (Series series : STORED) {
      if (selection.matchers().stream().allMatch(matcher -> matcher.matches(series.labels()))) {
        int from = Series.firstAfter(series.times(), 0, series.size(), selection.from());
        int to = Series.firstAfter(series.times(), 0, series.size(), selection.to());
        if (from < to) {
          receiver.accept(
              new Series(
                  series.labels(),
                  Arrays.copyOfRange(series.times(), from, to),
                  Arrays.copyOfRange(series.values(), from, to)));
        }
      }
    }
  }

  private static Series series(
      String name, String label, String value, double... secondsAndValues) {
    long[] times = new long[secondsAndValues.length / 2];
    double[] values = new double[times.length];
    for (int i = 0; i < times.length; i++) {
      times[i] = (long) (secondsAndValues[2 * i] * 1000);
      values[i] = secondsAndValues[2 * i + 1];
    }
    return new Series(Labels.of(Labels.NAME, name, label, value), times, values);
  }
}

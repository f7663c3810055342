package io.fleetgauge.promql.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.RandomQueries;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The texts and positions of annotations, and the limit of samples. */
class AnnotationTextsTest {
  private static final InMemorySeries STORED =
      new InMemorySeries(
          List.of(
              two("__name__", "power"),
              two("__name__", "requests_total"),
              two("__name__", "b_bucket", "le", "1"),
              two("__name__", "b_bucket", "le", "+Inf"),
              two("__name__", "odd_bucket", "le", "one"),
              new Series(
                  Labels.of("__name__", "falling_bucket", "le", "1"),
                  new long[] {0, 10_000},
                  new double[] {9, 9}),
              new Series(
                  Labels.of("__name__", "falling_bucket", "le", "+Inf"),
                  new long[] {0, 10_000},
                  new double[] {5, 5})));

  private static Series two(String... labels) {
    return new Series(Labels.of(labels), new long[] {0, 10_000}, new double[] {1, 2});
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      quoteCharacter = '~',
      value = {
        "quantile(1.5, power) -> PromQL warning: quantile value should be between 0 and 1, got 1.5"
            + " (1:10)",
        "quantile(-0.1, power) -> PromQL warning: quantile value should be between 0 and 1, got"
            + " -0.1 (1:10)",
        "quantile(NaN, power) -> PromQL warning: quantile value should be between 0 and 1, got NaN"
            + " (1:10)",
        "quantile_over_time(7, power[1m]) -> PromQL warning: quantile value should be between 0 and"
            + " 1, got 7 (1:20)",
        "histogram_quantile(-1, b_bucket) -> PromQL warning: quantile value should be between 0 and"
            + " 1, got -1 (1:20)",
        "1 + histogram_quantile(0.5, power) -> PromQL warning: bucket label \"le\" is missing or"
            + " has a malformed value of \"\" for metric name \"power\" (1:29)",
        "histogram_quantile(0.5, odd_bucket) -> PromQL warning: bucket label \"le\" is missing or"
            + " has a malformed value of \"one\" for metric name \"odd_bucket\" (1:25)",
        "histogram_quantile(0.5, falling_bucket) -> PromQL info: input to histogram_quantile needed"
            + " to be fixed for monotonicity (see"
            + " https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile)"
            + " for metric name \"falling_bucket\" (1:25)",
        "limit_ratio(1.5, power) -> PromQL warning: ratio value should be between -1 and 1, got"
            + " 1.5, capping to 1 (1:13)",
        "limit_ratio(-2, power) -> PromQL warning: ratio value should be between -1 and 1, got -2,"
            + " capping to -1 (1:13)",
        "rate(power[1m]) -> PromQL info: metric might not be a counter, name does not end in"
            + " _total/_sum/_count/_bucket: \"power\" (1:6)",
        "sum(increase(power[1m])) -> PromQL info: metric might not be a counter, name does not end"
            + " in _total/_sum/_count/_bucket: \"power\" (1:14)",
      })
  void anAnnotationHasItsTextAndThePositionOfWhatItIsAbout(String query, String text)
      throws Exception {
    Answer answer = Runs.answer(query, 10_000, STORED);
    List<String> all = new ArrayList<>(answer.warnings());
    all.addAll(answer.infos());
    assertThat(all).containsExactly(text);
    Answer range = Runs.answer(query, 10_000, 12_000, 1_000, STORED);
    List<String> ofRange = new ArrayList<>(range.warnings());
    ofRange.addAll(range.infos());
    assertThat(ofRange).contains(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "quantile(0, power)",
        "quantile(1, power)",
        "limit_ratio(-1, power)",
        "rate(requests_total[1m])",
        "delta(power[1m])",
        "histogram_quantile(0.5, b_bucket)",
        "histogram_quantile(0.5, nosuch)"
      })
  void whatIsUsualIsNotAnnotated(String query) throws Exception {
    Answer answer = Runs.answer(query, 10_000, STORED);
    assertThat(answer.warnings()).isEmpty();
    assertThat(answer.infos()).isEmpty();
  }

  /** A query runs with as many samples as it held at its peak, and with one fewer it does not. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void thePeakOfAQueryIsTheLeastLimitThatItNeeds(long seed) throws Exception {
    InMemorySeries series = Runs.series(seed);
    RandomQueries queries = new RandomQueries(seed);
    int limited = 0;
    for (int round = 0; round < 300; round++) {
      String text = queries.next();
      if (text.contains(":")) {
        continue; // a subquery's steps have a limit of their own
      }
      long peak;
      try {
        peak = run(text, series, 1_000_000).stats().peakSamples();
      } catch (QueryFailure e) {
        continue;
      }
      assertThat(run(text, series, Math.max(1, peak)).stats().peakSamples()).isEqualTo(peak);
      if (peak > 1) {
        limited++;
        long tooFew = peak - 1;
        assertThatThrownBy(() -> run(text, series, tooFew))
            .as(text)
            .isInstanceOf(QueryFailure.class)
            .hasMessageEndingWith("; the limit is " + tooFew);
      }
    }
    assertThat(limited).isGreaterThan(50);
  }

  private static Answer run(String text, InMemorySeries series, long limit) throws Exception {
    Query.Settings settings = Query.Settings.STOCK.withMaxSamples(limit);
    Query query = new Query(text, Parser.parse(text), 20_000, 120_000, 10_000, settings);
    return Engine.run(query, series, StopCheck.NEVER);
  }
}

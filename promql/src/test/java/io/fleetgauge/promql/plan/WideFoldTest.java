package io.fleetgauge.promql.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.syntax.Parser;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WideFoldTest {
  private static boolean isWide(String text, Planner.Mode mode) throws Exception {
    Query query = new Query(text, Parser.parse(text), 0, 60_000, 15_000, Query.Settings.STOCK);
    return WideFold.isIn(Planner.plan(query, List.of(), mode));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sum(abs(x))",
        "quantile(0.9, x)",
        "stddev by (rack) (rate(x[5m]))",
        "max(x * 2) + 1",
        "topk(3, -(x))",
        "sum(max_over_time(x[5m]))",
        "count(count_values(\"v\", x))",
        "1 + sum(x{rack=\"r\"} + y)",
        "sum({__name__=~\"x|y\"} > 1)",
        "avg(max_over_time(x[5m:1m]))",
        "topk(3, sum by (rack) (x))",
      })
  void anAggregationOfAllSeriesOfAMetricIsWide(String text) throws Exception {
    assertThat(isWide(text, Planner.Mode.AUTO)).as(text).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "abs(x) + y",
        "sum(abs(x{rack=\"r1\"}))",
        "quantile(0.9, x{tenant=\"a\"})",
        "sum(x)",
        "sum by (rack) (rate(x[5m]))",
        "vector(1)",
        "sum(vector(1))",
        "sum(rate(job:gpu_seconds:total[5m]))",
      })
  void anAggregationOfSomeSeriesOrFromRollupsIsNotWide(String text) throws Exception {
    assertThat(isWide(text, Planner.Mode.AUTO)).as(text).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"sum(x)", "sum by (rack) (rate(x[5m]))"})
  void anAggregationThatRollupsCouldServeIsWideWhenTheyMayNot(String text) throws Exception {
    assertThat(isWide(text, Planner.Mode.RAW)).as(text).isTrue();
  }
}

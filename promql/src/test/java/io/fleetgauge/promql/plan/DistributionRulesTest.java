package io.fleetgauge.promql.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a shard may do alone, and why not. */
class DistributionRulesTest {
  private static Expr parse(String text) throws Exception {
    return Parser.parse(text, new ParseOptions(Feature.ALL, 0, 0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "(x)",
        "-(x)",
        "abs(x)",
        "rate(x[5m])",
        "rate((x[5m]))",
        "max_over_time(abs(x)[5m:1m])",
        "clamp(x, 1, 2 * 3)",
        "predict_linear(x[5m], 60)",
        "quantile_over_time(0.5, x[5m])",
        "timestamp(x)",
        "x * 2",
        "2 ^ x",
        "x * time()",
        "x > bool pi()",
        "x + -(1)",
        "x + on (Hostname) y",
        "x + y",
        "x + ignoring (gpu) y",
        "x and on (Hostname, gpu) y",
        "x * on (Hostname) group_left (rack) y",
        "sum by (Hostname) (x)",
        "sum without (gpu) (x)",
        "topk by (Hostname) (3, x)",
        "quantile without (gpu) (0.5, x)",
        "count_values by (Hostname) (\"v\", x)",
        "label_replace(x, \"zone\", \"a\", \"b\", \"c\")",
        "label_join(x, \"zone\", \"-\", \"b\")",
      })
  void aShardMayEvaluateWhatKeepsTheHost(String text) throws Exception {
    assertThat(Distribution.obstacle(parse(text))).as(text).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "1; a number has no series",
        "\"a\"; a text has no series",
        "1 + 2; a number has no series",
        "vector(1); vector has no series",
        "hour(); hour has no series",
        "absent(x); absent needs all series",
        "absent_over_time(x[5m]); absent_over_time needs all series",
        "sort(x); sort orders all series",
        "sort_by_label(x, \"a\"); sort_by_label orders all series",
        "info(x); info joins series of any host",
        "histogram_quantile(0.5, x); histogram_quantile adds buckets in the order of the series",
        "histogram_count(x); histogram_count adds buckets in the order of the series",
        "clamp_max(x, scalar(y)); scalar(y) depends on all series",
        "x * scalar(y); scalar(y) depends on all series",
        "scalar(y) * x; scalar(y) depends on all series",
        "x * (1 + scalar(y)); (1 + scalar(y)) depends on all series",
        "x * -scalar(y); -scalar(y) depends on all series",
        "abs(absent(x)); absent needs all series",
        "rate(absent(x)[5m:1m]); absent needs all series",
        "sum(x); sum combines hosts",
        "sum by (rack) (x); sum combines hosts",
        "sum without (Hostname) (x); sum combines hosts",
        "sum by (Hostname) (absent(x)); absent needs all series",
        "topk by (Hostname) (scalar(y), x); scalar(y) depends on all series",
        "count_values by (Hostname) (\"Hostname\", x); count_values writes the host label",
        "count_values by (Hostname) (\"node\", x); count_values writes the host label",
        "x + on (gpu) y; the operator + matches series of several hosts",
        "x + ignoring (Hostname) y; the operator + matches series of several hosts",
        "x + on (gpu) group_left (Hostname) y; the operator + matches series of several hosts",
        "x * on (gpu, rack) group_right (Hostname) y; the operator * matches series of several"
            + " hosts",
        "sort(x) + y; sort orders all series",
        "x + sort(y); sort orders all series",
        "label_replace(x, \"Hostname\", \"a\", \"b\", \"c\"); label_replace writes the host label",
        "label_join(x, \"instance\", \"-\", \"b\"); label_join writes the host label",
        "label_replace(sort(x), \"a\", \"a\", \"b\", \"c\"); sort orders all series",
      })
  void anExpressionThatNeedsOtherShardsHasAReason(String text, String why) throws Exception {
    assertThat(Distribution.obstacle(parse(text))).as(text).contains(why);
  }

  @Test
  void theOneSideMayNotGiveTheHostLabel() throws Exception {
    assertThat(Distribution.obstacle(parse("x * ignoring (gpu) group_left (Hostname) y")))
        .isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "(x)",
        "-x",
        "abs(x)",
        "abs((x))",
        "rate(x[5m])",
        "max_over_time(abs(x)[5m:1m])",
        "quantile_over_time(0.5, x[5m])",
        "x * 2",
        "2 * x",
        "x > 1",
        "timestamp(x)",
        "last_over_time(x[5m])",
      })
  void columnsOfOneMetricComeInTheOrderOfTheirLabels(String text) throws Exception {
    assertThat(Distribution.isOrdered(parse(text))).as(text).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "abs({job=\"a\"})",
        "-{job=\"a\"}",
        "{job=\"a\"} * 2",
        "rate({__name__=~\"x|y\"}[5m])",
        "max_over_time(sum by (rack) (x)[5m:1m])",
        "sum by (rack) (x)",
        "x + y",
        "abs(x + y)",
        "abs(x * 2)",
        "vector(1)",
        "hour()",
        "sort(x)",
        "absent(x)",
        "label_replace(x, \"zone\", \"a\", \"b\", \"c\")",
        "abs(label_replace(x, \"zone\", \"a\", \"b\", \"c\"))",
        "-(sum by (rack) (x))",
        "info(x)",
        "histogram_sum(x)",
        "2 * (x + y)",
      })
  void theOrderOfOtherColumnsIsUnknown(String text) throws Exception {
    assertThat(Distribution.isOrdered(parse(text))).as(text).isFalse();
  }

  @Test
  void scalarsThatReadNoSeriesAreConstant() throws Exception {
    for (String text :
        List.of("1", "(1)", "-(1)", "1 + 2", "time()", "pi() * 2", "max_of(1, time())")) {
      assertThat(Distribution.isConstant(parse(text))).as(text).isTrue();
    }
    for (String text :
        List.of(
            "scalar(x)",
            "1 + scalar(x)",
            "scalar(x) + 1",
            "-scalar(x)",
            "(scalar(x))",
            "max_of(1, scalar(x))",
            "x",
            "\"a\"",
            "sum(x)")) {
      assertThat(Distribution.isConstant(parse(text))).as(text).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "x; ''",
        "rate(x[5m]); __name__",
        "last_over_time(x[5m]); ''",
        "-x; __name__",
        "x * 2; __name__",
        "label_replace(x, \"zone\", \"a\", \"b\", \"c\"); zone __name__",
        "count_values(\"v\", x); v",
        "sum by (rack) (abs(x)); __name__",
        "x * on (gpu) group_left (rack) y; rack __name__",
        "quantile(0.5, x); ''",
        "max_over_time(label_join(x, \"zone\", \"-\", \"b\")[5m:1m]); zone __name__",
      })
  void theLabelsThatAnExpressionWritesAreKnown(String text, String labels) throws Exception {
    assertThat(Distribution.writtenLabels(parse(text)))
        .as(text)
        .containsExactlyInAnyOrderElementsOf(
            labels.isEmpty() ? List.of() : List.of(labels.split(" ")));
  }

  @Test
  void aPartNeedsHostsWhereMatchingOrGroupingKeepsThem() throws Exception {
    assertThat(Planner.needsHosts(parse("x + y"), false)).isTrue();
    assertThat(Planner.needsHosts(parse("abs(x + y)"), false)).isTrue();
    assertThat(Planner.needsHosts(parse("sum by (Hostname) (x)"), false)).isTrue();
    assertThat(Planner.needsHosts(parse("sum(sum by (Hostname) (x))"), true)).isTrue();
    assertThat(Planner.needsHosts(parse("sum(x)"), true)).isFalse();
    assertThat(Planner.needsHosts(parse("sum(x * 2)"), true)).isFalse();
    assertThat(Planner.needsHosts(parse("2 * abs(x)"), false)).isFalse();
  }

  @Test
  void aShardRefusesAPartThatWritesOneOfItsHostLabels() throws Exception {
    Expr relabels = parse("label_replace(x, \"machine\", \"a\", \"b\", \"c\")");
    assertThat(Planner.obstacle(relabels, false, List.of("machine", "node")))
        .contains("the label machine, by which series of different shards differ, is overwritten");
    assertThat(Planner.obstacle(relabels, false, List.of("node"))).isEmpty();
    Expr sum = parse("sum(label_replace(x, \"machine\", \"a\", \"b\", \"c\"))");
    assertThat(Planner.obstacle(sum, true, List.of("machine"))).isPresent();
    assertThat(Planner.obstacle(parse("abs(x)"), false, List.of("__name__"))).isPresent();
    assertThat(Planner.obstacle(parse("sum(x)"), true, List.of("__name__"))).isEmpty();
    Expr keepsHosts = parse("label_replace(x + y, \"machine\", \"a\", \"b\", \"c\")");
    assertThat(Planner.obstacle(keepsHosts, false, List.of("machine"))).isEmpty();
  }

  @Test
  void thePlanSaysWhyAPartIsNotPushedDown() throws Exception {
    String text = "sum(absent(x)) + sum(y @ 100)";
    Planned planned =
        Planner.plan(
            new io.fleetgauge.promql.query.Query(
                text,
                Parser.parse(text),
                0,
                60_000,
                15_000,
                io.fleetgauge.promql.query.Query.Settings.STOCK),
            List.of(),
            Planner.Mode.AUTO);
    assertThat(planned.reasons())
        .containsEntry("absent(x)", "absent needs all series")
        .containsEntry(
            "sum(y @ 100.000)", "the selector has an @ modifier or extended range edges");
    assertThat(planned.cuts())
        .extracting(cut -> cut.expr() + " " + cut.partial() + cut.rollups() + cut.grid().size())
        .containsExactly("x falsefalse5", "sum(y @ 100.000) truefalse1");
    assertThat(planned.selections()).isEmpty();
    assertThat(planned.plan()).hasToString(planned.plan().toString()).asString().contains("once");
  }
}

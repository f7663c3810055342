package io.fleetgauge.promql.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.function.CounterNames;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.RandomQueries;
import io.fleetgauge.promql.query.RandomSeries;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A query that may be split over time is answered piece by piece as in one piece. */
class TimeSplitTest {
  private static final long START = 20_000;
  private static final long STEP = 9_000;
  private static final int STEPS = 18;

  private static Query query(String text, long start, long end, long step) throws Exception {
    ParseOptions options = new ParseOptions(Feature.ALL, end - start, step);
    Query.Settings settings = Query.Settings.STOCK.withLookback(15_000).withFeatures(Feature.ALL);
    return new Query(text, Parser.parse(text, options), start, end, step, settings);
  }

  private static boolean isAllowed(String text) throws Exception {
    return TimeSplit.isAllowed(query(text, START, START + STEPS * STEP, STEP));
  }

  private static boolean isStrict(String text) throws Exception {
    return TimeSplit.isStrict(Parser.parse(text, new ParseOptions(Feature.ALL, 0, 0)));
  }

  private static void collect(
      Query query, InMemorySeries series, Map<Labels, TreeMap<Long, Long>> into)
      throws QueryFailure {
    Answer answer = Engine.run(query, series, StopCheck.NEVER);
    for (Series one : ((Answer.Matrix) answer.result()).series()) {
      for (int i = 0; i < one.size(); i++) {
        into.computeIfAbsent(one.labels(), none -> new TreeMap<>())
            .put(one.times()[i], Double.doubleToLongBits(one.values()[i]));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void theAnswersToThePiecesAreTheAnswerToTheWhole(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    RandomSeries hosts = new RandomSeries(random, true);
    List<Series> all = new ArrayList<>(hosts.host("n1"));
    all.addAll(hosts.host("n2"));
    InMemorySeries series = new InMemorySeries(all);
    RandomQueries queries = new RandomQueries(seed);
    int split = 0;
    for (int i = 0; i < 600; i++) {
      String text = queries.next();
      Query whole = query(text, START, START + STEPS * STEP, STEP);
      if (!TimeSplit.isAllowed(whole)) {
        continue;
      }
      Map<Labels, TreeMap<Long, Long>> inOne = new TreeMap<>();
      boolean failed = false;
      try {
        collect(whole, series, inOne);
      } catch (QueryFailure e) {
        failed = true;
      }
      Map<Labels, TreeMap<Long, Long>> inPieces = new TreeMap<>();
      boolean pieceFailed = false;
      int at = 0;
      while (at <= STEPS) {
        int last = Math.min(STEPS, at + random.nextInt(7));
        try {
          collect(query(text, START + at * STEP, START + last * STEP, STEP), series, inPieces);
        } catch (QueryFailure e) {
          pieceFailed = true;
        }
        at = last + 1;
      }
      assertThat(pieceFailed).as("number %d, %s", i, text).isEqualTo(failed);
      if (!failed) {
        assertThat(inPieces).as("number %d, %s", i, text).isEqualTo(inOne);
        split++;
      }
    }
    assertThat(split).isGreaterThan(100);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "x @ 100",
        "x offset 5m",
        "rate(x[5m])",
        "rate(x[2 * step()])",
        "rate(x_range[5m])",
        "rate(x[5m] @ 100)",
        "max_over_time(x[5m:1m])",
        "max_over_time(x[5m:1m] @ 100)",
        "sum by (rack) (x)",
        "quantile(0.5, abs(x))",
        "x * time()",
        "-(x) + y",
        "absent(x)",
        "scalar(x) + x",
        "vector(1)",
        "stddev(x)",
        "topk(3, x)",
        "topk(3, abs(x))",
        "stdvar(rate(x[5m]))",
        "topk(3, x + 1)",
        "topk(3, -x)",
        "stddev(max_over_time(abs(x)[5m:1m]))",
      })
  void aQueryThatLooksOnlyAtItsStepsMayBeSplit(String text) throws Exception {
    assertThat(isAllowed(text)).as(text).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{job=\"a\"}",
        "{__name__=~\"x|y\"}",
        "x @ start()",
        "x @ end()",
        "rate(x[5m] @ start())",
        "max_over_time(x[5m:1m] @ end())",
        "x + start()",
        "x + end()",
        "x + range()",
        "x + step()",
        "sum_over_time(x[range()])",
        "sum_over_time(x[2 * RANGE ()])",
        "x offset (range() / 2)",
        "x offset -range()",
        "max_over_time(x[range():1m])",
        "max_over_time(x[1h:max_of(range() / 10, 1m)])",
        "info(x)",
        "label_replace(x, \"a\", \"b\", \"c\", \"d\")",
        "label_join(x, \"a\", \"b\", \"c\")",
        "sort(x)",
        "histogram_quantile(0.5, x)",
        "topk(3, sum by (rack) (x))",
        "stddev(x + y)",
        "topk(3, x @ start())",
        "abs(topk(3, sum by (rack) (x)))",
        "topk(3, absent(x))",
        "topk(3, 1 < bool vector(2))",
      })
  void aQueryThatLooksAtItsRangeOrAtTheOrderOfGroupsMayNotBeSplit(String text) throws Exception {
    assertThat(isAllowed(text)).as(text).isFalse();
  }

  @Test
  void aLabelMayHaveTheNameOfAFunctionThatIsOff() throws Exception {
    Query query =
        new Query("x{range=\"a\"}", Parser.parse("x{range=\"a\"}"), 0, 9, 3, Query.Settings.STOCK);
    assertThat(TimeSplit.isAllowed(query)).isTrue();
  }

  @Test
  void anInstantQueryIsNotSplit() throws Exception {
    assertThat(TimeSplit.isAllowed(query("x", START, START, 0))).isFalse();
  }

  @Test
  void aPointProvesThatEveryPartHasOneOnlyInStrictQueries() throws Exception {
    for (String text :
        List.of(
            "x", "x + y", "sum(x)", "rate(x[5m])", "-(x)", "abs(x) > 1", "topk(1, x)", "2 * 3")) {
      assertThat(isStrict(text)).as(text).isTrue();
    }
    for (String text :
        new TreeSet<>(
            List.of(
                "x or y",
                "x + fill(0) y",
                "x + fill_left(0) y",
                "x and y",
                "x unless y",
                "vector(1)",
                "absent(x)",
                "absent_over_time(x[5m])",
                "scalar(x)",
                "sum(x or y)",
                "1 + (x or y)",
                "max_over_time(x[5m:1m])",
                "x + scalar(y)"))) {
      assertThat(isStrict(text)).as(text).isFalse();
    }
  }

  @Test
  void aPointProvesOnlyRemarksAboutNames() throws Exception {
    Expr strict = Parser.parse("rate(x[5m])");
    String remark = "PromQL info: " + CounterNames.remark("x").orElseThrow() + " (1:6)";
    assertThat(TimeSplit.isProvenByPoints(strict, List.of(), List.of(remark))).isTrue();
    assertThat(TimeSplit.isProvenByPoints(strict, List.of(remark), List.of())).isFalse();
    assertThat(
            TimeSplit.isProvenByPoints(
                strict, List.of(), List.of("PromQL info: ignored histogram (1:6)", remark)))
        .isFalse();
    assertThat(
            TimeSplit.isProvenByPoints(
                Parser.parse("rate(x[5m]) or y"), List.of(), List.of(remark)))
        .isFalse();
  }
}

package io.fleetgauge.promql.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.RandomQueries;
import io.fleetgauge.promql.query.RandomSeries;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The evaluator answers as its plain twin does, which evaluates one step after the other. */
class EvaluatorTwinTest {
  private static final int COUNT = 500;

  private static boolean isKnown(Function function) {
    return switch (function) {
      case Function.OfHistograms _ -> false;
      // Of a number beyond 2^53 they are chance: its last bit decides.
      case Function.Element element ->
          element != Function.Element.SIN
              && element != Function.Element.COS
              && element != Function.Element.TAN;
      case Function.Range _, Function.Scalar _, Function.OfVectors _ -> true;
    };
  }

  private static InMemorySeries series(long seed) {
    RandomSeries random = new RandomSeries(new SplittableRandom(seed), false);
    List<Series> all = new ArrayList<>();
    for (String host : List.of("n1", "n2", "n3")) {
      all.addAll(random.host(host));
    }
    return new InMemorySeries(all);
  }

  /** What each step gives, or why there is no answer. */
  private record Outcome(Map<Long, Map<Labels, Double>> steps, String failure) {}

  private static Outcome plain(Query query, InMemorySeries series) {
    Map<Long, Map<Labels, Double>> steps = new TreeMap<>();
    PlainEvaluator evaluator = new PlainEvaluator(query, series);
    try {
      for (int i = 0; i < query.grid().size(); i++) {
        long time = query.grid().time(i);
        steps.put(time, evaluator.vector(query.expr(), time));
      }
    } catch (QueryFailure e) {
      return new Outcome(Map.of(), e.getMessage());
    }
    steps.values().removeIf(Map::isEmpty);
    return new Outcome(steps, "");
  }

  private static Outcome engine(Query query, InMemorySeries series) {
    try {
      Map<Long, Map<Labels, Double>> steps = new TreeMap<>();
      switch (Engine.run(query, series, StopCheck.NEVER).result()) {
        case Answer.Vector vector ->
            vector
                .samples()
                .forEach(
                    one ->
                        steps
                            .computeIfAbsent(vector.time(), none -> new TreeMap<>())
                            .put(one.labels(), one.value()));
        case Answer.Matrix matrix -> {
          for (Series one : matrix.series()) {
            for (int i = 0; i < one.size(); i++) {
              steps
                  .computeIfAbsent(one.times()[i], none -> new TreeMap<>())
                  .put(one.labels(), one.values()[i]);
            }
          }
        }
        case Answer.Scalar _, Answer.Text _ -> throw new IllegalStateException();
      }
      return new Outcome(steps, "");
    } catch (QueryFailure e) {
      return new Outcome(Map.of(), e.getMessage());
    }
  }

  private static boolean isClose(double a, double b) {
    return Double.compare(a, b) == 0
        || a == b
        || Math.abs(a - b) <= 1e-7 * Math.max(1, Math.max(Math.abs(a), Math.abs(b)));
  }

  private static void compare(String what, Outcome wanted, Outcome got) {
    // Some operations refuse equal label sets of a range that never meet at one step.
    if (got.failure.equals(QueryFailure.SAME_LABEL_SET) && wanted.failure.isEmpty()) {
      return;
    }
    assertThat(got.failure.isEmpty())
        .as("%s: %s", what, got.failure + wanted.failure)
        .isEqualTo(wanted.failure.isEmpty());
    assertThat(got.steps.keySet()).as(what).isEqualTo(wanted.steps.keySet());
    for (var step : wanted.steps.entrySet()) {
      Map<Labels, Double> values = got.steps.get(step.getKey());
      assertThat(values.keySet())
          .as("%s at %d", what, step.getKey())
          .containsExactlyInAnyOrderElementsOf(step.getValue().keySet());
      step.getValue()
          .forEach(
              (labels, value) ->
                  assertThat(values.get(labels))
                      .as("%s of %s at %d", what, labels, step.getKey())
                      .matches(one -> isClose(one, value), "about " + value));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void randomInstantQueriesAreAnsweredAlike(long seed) throws Exception {
    InMemorySeries series = series(seed);
    RandomQueries queries =
        new RandomQueries(seed, EvaluatorTwinTest::isKnown, PlainEvaluator::knows);
    for (int i = 0; i < COUNT; i++) {
      String text = queries.next();
      long time = 20_000 + i * 317L % 200_000;
      Query query = new Query(text, Parser.parse(text), time, time, 0, Query.Settings.STOCK);
      compare("number " + i + ", " + text, plain(query, series), engine(query, series));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15, 16})
  void randomRangeQueriesAreAnsweredAlike(long seed) throws Exception {
    InMemorySeries series = series(seed);
    RandomQueries queries =
        new RandomQueries(seed, EvaluatorTwinTest::isKnown, PlainEvaluator::knows);
    Query.Settings settings = Query.Settings.STOCK.withLookback(12_000);
    for (int i = 0; i < COUNT; i++) {
      String text = queries.next();
      Query query = new Query(text, Parser.parse(text), 20_000, 200_000, 13_000, settings);
      compare("number " + i + ", " + text, plain(query, series), engine(query, series));
    }
  }
}

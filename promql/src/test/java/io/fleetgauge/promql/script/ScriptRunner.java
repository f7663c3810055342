package io.fleetgauge.promql.script;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Runs scripts with all features on, as the format requires, delayed name removal included.
 *
 * <pre>
 * clear
 * load 5m
 *   http_requests_total{job="api"}  0+10x10 _ stale 7
 * eval instant at 50m rate(http_requests_total[5m])
 *   {job="api"} 0.033333
 * eval range from 0 to 10m step 5m http_requests_total
 *   http_requests_total{job="api"} 0 10 20
 * </pre>
 *
 * <p>A case passes only if the label sets, times and values (within a millionth) are as expected,
 * and, where the script lists them, the order and the annotations. An instant query must also pass
 * with {@code @} on every selector, and as the middle step of a range query.
 */
public final class ScriptRunner {
  private static final Query.Settings SETTINGS =
      new Query.Settings(300_000, 10_000, 60_000, Feature.ALL);

  /** An instant query is repeated as the middle step of a range query from t - this to t + this. */
  private static final long AROUND = 60_000;

  private final LoadedSeries loaded = new LoadedSeries();

  private ScriptRunner() {}

  /**
   * Runs all cases of a script in order; a failed case does not stop the others.
   *
   * @throws ScriptException if the text is not a script
   */
  public static List<CaseResult> run(String script) throws ScriptException {
    ScriptRunner runner = new ScriptRunner();
    List<CaseResult> results = new ArrayList<>();
    for (ScriptCommand command : ScriptReader.read(script)) {
      switch (command) {
        case ScriptCommand.Clear clear -> runner.loaded.clear();
        case ScriptCommand.Load load ->
            runner.loaded.load(load.series(), load.step(), load.customBuckets());
        case ScriptCommand.Eval eval -> results.add(runner.run(eval));
      }
    }
    return results;
  }

  private CaseResult run(ScriptCommand.Eval eval) {
    loaded.forget();
    Optional<String> failure;
    try {
      Expr expr =
          Parser.parse(
              eval.query(), new ParseOptions(Feature.ALL, eval.end() - eval.start(), eval.step()));
      failure = check(eval, expr, eval.start(), eval.end(), eval.step(), "");
      if (eval.isInstant()) {
        failure = failure.or(() -> again(eval, expr, ""));
        if (failure.isEmpty()) {
          Optional<Expr> pinned = Pinning.pinned(expr, eval.start());
          failure = pinned.flatMap(query -> atOtherTimes(eval, query));
        }
      }
    } catch (ParseException e) {
      failure = Optional.of("the query does not parse: " + e.getMessage());
    }
    return new CaseResult(eval.line(), eval.query(), classOf(eval), failure);
  }

  private CaseClass classOf(ScriptCommand.Eval eval) {
    boolean histograms =
        loaded.touchedHistogram()
            || eval.expected().series().stream()
                .flatMap(line -> line.items().stream())
                .anyMatch(item -> item.histogram() != null);
    if (histograms) {
      return CaseClass.NATIVE_HISTOGRAM;
    }
    try {
      Parser.parse(eval.query(), new ParseOptions(Set.of(Feature.NEWER_FUNCTIONS), 0, 0));
      return loaded.touchedStartTimes() ? CaseClass.EXPERIMENTAL : CaseClass.FLOAT;
    } catch (ParseException e) {
      return CaseClass.EXPERIMENTAL;
    }
  }

  /** With {@code @} on every selector, the result must not depend on the evaluation time. */
  private Optional<String> atOtherTimes(ScriptCommand.Eval eval, Expr pinned) {
    long time = eval.start();
    long[] times =
        time == 0
            ? new long[] {-1_000, 0, 1_000}
            : new long[] {-10 * time, 0, time / 5, time, 10 * time};
    Optional<String> failure = Optional.empty();
    for (long at : times) {
      if (failure.isEmpty()) {
        failure =
            check(eval, pinned, at, at, 0, "with @ on every selector, asked at " + at + " ms: ");
      }
    }
    return failure.or(() -> again(eval, pinned, "with @ on every selector, "));
  }

  /** Repeats an instant query as the middle step of a range query. */
  private Optional<String> again(ScriptCommand.Eval eval, Expr expr, String how) {
    ScriptCommand.Expectation expected = eval.expected();
    boolean asked = eval.query().matches(".*(?i:start|end|range|step)\\s*\\(\\s*\\).*");
    boolean impossible =
        expected.ordered()
            || asked
            || expr.type() == ValueType.STRING
            || expr.type() == ValueType.MATRIX;
    if (impossible) {
      return Optional.empty();
    }
    long time = eval.start();
    try {
      Answer.Result result = ask(expr, eval, time - AROUND, time + AROUND, AROUND).result();
      if (expected.failure().isPresent()) {
        return Optional.empty(); // it failed at its own time, which the range merely contains
      }
      Answer.Result middle = middle((Answer.Matrix) result, time, expr.type());
      return Comparison.difference(eval, new Answer(middle, List.of(), List.of(), null), false)
          .map(what -> how + "as the middle step of a range query: " + what);
    } catch (QueryFailure e) {
      // The range query may fail because of its other steps.
      return expected.failure().isPresent() || failsBeside(expr, eval)
          ? Optional.empty()
          : Optional.of(how + "as a range query it failed: " + e.getMessage());
    }
  }

  private boolean failsBeside(Expr expr, ScriptCommand.Eval eval) {
    for (long time : new long[] {eval.start() - AROUND, eval.start() + AROUND}) {
      try {
        ask(expr, eval, time, time, 0);
      } catch (QueryFailure e) {
        return true;
      }
    }
    return false;
  }

  private static Answer.Result middle(Answer.Matrix matrix, long time, ValueType type) {
    List<Answer.Sample> samples = new ArrayList<>();
    for (Series series : matrix.series()) {
      for (int i = 0; i < series.size(); i++) {
        if (series.times()[i] == time) {
          samples.add(
              new Answer.Sample(
                  series.labels(),
                  series.values()[i],
                  series.histograms() == null ? null : series.histograms()[i]));
        }
      }
    }
    return type == ValueType.SCALAR
        ? new Answer.Scalar(time, samples.getFirst().value())
        : new Answer.Vector(time, samples);
  }

  private Optional<String> check(
      ScriptCommand.Eval eval, Expr expr, long start, long end, long step, String how) {
    Optional<ScriptCommand.TextRule> failure = eval.expected().failure();
    try {
      Answer answer = ask(expr, eval, start, end, step);
      return failure.isPresent()
          ? Optional.of(how + "expected a failure: " + failure.get() + "\n  got an answer")
          : Comparison.difference(eval, answer, how.isEmpty()).map(what -> how + what);
    } catch (QueryFailure e) {
      if (failure.isEmpty()) {
        return Optional.of(how + "failed: " + e.getMessage());
      }
      return failure.get().allows(e.getMessage()) || !how.isEmpty()
          ? Optional.empty()
          : Optional.of("expected the failure " + failure.get() + "\n  got " + e.getMessage());
    }
  }

  private Answer ask(Expr expr, ScriptCommand.Eval eval, long start, long end, long step)
      throws QueryFailure {
    Query query = new Query(eval.query(), expr, start, end, step, SETTINGS);
    return Engine.run(query, loaded, StopCheck.NEVER);
  }
}

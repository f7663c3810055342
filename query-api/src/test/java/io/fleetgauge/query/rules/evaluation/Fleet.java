package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.script.ScriptException;
import io.fleetgauge.promql.script.TestSeries;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.definition.TemplateCheck;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Outcome;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.QueryAnswer;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Settings;
import io.fleetgauge.sample.Labels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Series in memory, over which one group is evaluated. Minute 0 is {@link #START}. */
final class Fleet {
  static final long MINUTE = 60_000;
  static final long START = 1_700_000_000_000L - 1_700_000_000_000L % MINUTE;

  final TestSeries series = new TestSeries();
  final List<String> asked = new ArrayList<>();
  Settings settings =
      new Settings(Labels.of("region", "eu"), "http://here", MINUTE, 0, RuleGroup.Partial.KEEP);
  List<String> missing = List.of();
  Exception failure;

  /** The one query that has the failure; null for all. */
  String failing;

  GroupState state;

  /** Told of all samples that are written. */
  Consumer<List<DerivedSample>> onWrite = samples -> {};

  static RuleGroup group(String yaml) {
    try {
      return new RuleFileReader(ParseOptions.STOCK, TemplateCheck.NONE, MINUTE)
          .read("", "rules.yaml", yaml.getBytes(StandardCharsets.UTF_8))
          .getFirst();
    } catch (InvalidRules e) {
      throw new AssertionError(e);
    }
  }

  Fleet load(String line) {
    try {
      series.load(line, START, MINUTE);
    } catch (ScriptException e) {
      throw new AssertionError(e);
    }
    return this;
  }

  static long minute(long minute) {
    return START + minute * MINUTE;
  }

  /** Evaluates a slot from the state before, and writes what comes of it. */
  Outcome evaluate(RuleGroup group, long minute) {
    series.showUntil(minute(minute));
    GroupState before = state == null ? GroupState.initial(group) : state;
    Outcome outcome =
        GroupEvaluation.evaluate(group, before, minute(minute), this::answer, this::write, settings)
            .toCompletableFuture()
            .join();
    write(outcome.samples());
    state = outcome.after();
    return outcome;
  }

  CompletionStage<Void> write(List<DerivedSample> samples) {
    onWrite.accept(samples);
    samples.forEach(
        sample -> series.put(sample.labels(), sample.time(), sample.value(), sample.histogram()));
    return CompletableFuture.completedFuture(null);
  }

  CompletionStage<QueryAnswer> answer(Expr expression, long time) {
    asked.add(expression.toString());
    if (failure != null && (failing == null || failing.equals(expression.toString()))) {
      return CompletableFuture.failedFuture(failure);
    }
    Query query = new Query(expression.toString(), expression, time, time, 0, Query.Settings.STOCK);
    try {
      return CompletableFuture.completedFuture(
          new QueryAnswer(Engine.run(query, series, StopCheck.NEVER).result(), missing));
    } catch (QueryFailure e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}

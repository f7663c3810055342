package io.fleetgauge.operator.rules;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Durations;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.script.ScriptException;
import io.fleetgauge.promql.script.TestSeries;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.AlertInstance;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.RuleState;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Runs one test: evaluates groups over its series, and compares alerts and expressions. */
final class TestRun {
  /** As promtool's engine. */
  private static final long MAX_SAMPLES = 10_000;

  /** Most evaluations of one test. */
  private static final long MAX_SLOTS = 10_000_000;

  private static final long RESEND_DELAY = 60_000;

  private final TestFile file;
  private final TestFile.TestGroup test;
  private final List<RuleGroup> groups;
  private final List<GroupState> states = new ArrayList<>();
  private final TestSeries series = new TestSeries();
  private final Query.Settings language;
  private final GroupEvaluation.Settings settings;
  private final List<String> failures = new ArrayList<>();

  TestRun(TestFile file, TestFile.TestGroup test, List<RuleGroup> groups) {
    this.file = file;
    this.test = test;
    this.groups = groups;
    Query.Settings stock = Query.Settings.STOCK;
    this.language =
        new Query.Settings(
            stock.lookback(), MAX_SAMPLES, file.evaluationInterval(), stock.features());
    this.settings =
        new GroupEvaluation.Settings(
            test.externalLabels(), test.externalUrl(), RESEND_DELAY, 0, RuleGroup.Partial.EVALUATE);
  }

  /** Differences from what the test expects; none if it passes. */
  List<String> failures() {
    try {
      for (TestFile.Input input : test.series()) {
        series.load(input.series() + " " + input.values(), test.start(), test.interval());
      }
    } catch (ScriptException e) {
      return List.of(e.getMessage());
    }
    for (RuleGroup group : groups) {
      GroupState initial = GroupState.initial(group);
      states.add(
          new GroupState(
              initial.group(), test.start() - 1, initial.definition(), List.of(), initial.rules()));
    }
    long last = 0;
    TreeSet<Long> times = new TreeSet<>();
    for (TestFile.AlertTest alert : test.alerts()) {
      last = Math.max(last, alert.time());
      times.add(alert.time());
    }
    for (TestFile.ExpressionTest expression : test.expressions()) {
      last = Math.max(last, expression.time());
    }
    if (last / file.evaluationInterval() > MAX_SLOTS) {
      return List.of(
          "the test takes "
              + last / file.evaluationInterval()
              + " evaluations, allowed are "
              + MAX_SLOTS);
    }
    for (long at = 0; at <= last; at += file.evaluationInterval()) {
      if (!evaluate(at)) {
        return failures;
      }
      for (long time : times.subSet(at, at + file.evaluationInterval())) {
        compareAlerts(time);
      }
    }
    test.expressions().forEach(this::compare);
    return failures;
  }

  // --- evaluation ---

  /** Evaluates all groups; returns whether all rules were evaluated. */
  private boolean evaluate(long at) {
    long slot = test.start() + at;
    series.showUntil(slot);
    boolean whole = true;
    for (int i = 0; i < groups.size(); i++) {
      GroupEvaluation.Outcome outcome =
          GroupEvaluation.evaluate(
                  groups.get(i), states.get(i), slot, this::answer, this::write, settings)
              .toCompletableFuture()
              .join();
      write(outcome.samples());
      states.set(i, outcome.after());
      for (int rule = 0; rule < outcome.after().rules().size(); rule++) {
        RuleState state = outcome.after().rules().get(rule);
        if (state.health() == RuleState.Health.ERR) {
          whole = false;
          failures.add(
              "    rule: "
                  + groups.get(i).rules().get(rule).name()
                  + ", time: "
                  + Durations.print(at)
                  + ", err: "
                  + state.lastError());
        }
      }
    }
    return whole;
  }

  private CompletionStage<Void> write(List<DerivedSample> samples) {
    for (DerivedSample sample : samples) {
      series.put(sample.labels(), sample.time(), sample.value(), sample.histogram());
    }
    return CompletableFuture.completedFuture(null);
  }

  private CompletionStage<GroupEvaluation.QueryAnswer> answer(Expr expression, long time) {
    try {
      return CompletableFuture.completedFuture(
          new GroupEvaluation.QueryAnswer(
              result(expression.toString(), expression, time), List.of()));
    } catch (QueryFailure e) {
      return CompletableFuture.failedFuture(new CompletionException(e));
    }
  }

  private Answer.Result result(String text, Expr expression, long time) throws QueryFailure {
    Query query = new Query(text, expression, time, time, 0, language);
    return Engine.run(query, series, StopCheck.NEVER).result();
  }

  // --- alerts ---

  private record ShownAlert(Labels labels, Labels annotations) implements Comparable<ShownAlert> {
    @Override
    public int compareTo(ShownAlert other) {
      int byLabels = labels.compareTo(other.labels);
      return byLabels != 0 ? byLabels : annotations.compareTo(other.annotations);
    }
  }

  private void compareAlerts(long time) {
    for (TestFile.AlertTest expected : test.alerts()) {
      if (expected.time() != time) {
        continue;
      }
      List<ShownAlert> wanted = new ArrayList<>();
      for (TestFile.ExpectedAlert alert : expected.expected()) {
        wanted.add(
            new ShownAlert(
                Labels.of(alert.labels()).with("alertname", expected.alert()),
                Labels.of(alert.annotations())));
      }
      List<ShownAlert> got = firing(expected.alert());
      Collections.sort(wanted);
      Collections.sort(got);
      if (!wanted.equals(got)) {
        String name = test.name().isEmpty() ? "" : "    name: " + test.name() + ",\n";
        failures.add(
            name
                + "    alertname: "
                + expected.alert()
                + ", time: "
                + Durations.print(time)
                + ",\n        exp:"
                + shown(wanted)
                + ",\n        got:"
                + shown(got));
      }
    }
  }

  private List<ShownAlert> firing(String alert) {
    List<ShownAlert> firing = new ArrayList<>();
    for (int i = 0; i < groups.size(); i++) {
      List<Rule> rules = groups.get(i).rules();
      for (int rule = 0; rule < rules.size(); rule++) {
        if (!(rules.get(rule) instanceof Rule.Alerting named) || !named.name().equals(alert)) {
          continue;
        }
        for (AlertInstance instance : states.get(i).rules().get(rule).alerts()) {
          if (instance.state() == AlertInstance.State.FIRING && instance.resolvedAt() == 0) {
            firing.add(new ShownAlert(instance.labels(), Labels.of(instance.annotations())));
          }
        }
      }
    }
    return firing;
  }

  private static String shown(List<ShownAlert> alerts) {
    if (alerts.isEmpty()) {
      return "[]";
    }
    StringBuilder text = new StringBuilder("[");
    for (int i = 0; i < alerts.size(); i++) {
      text.append(i == 0 ? "\n" : ",\n")
          .append("            ")
          .append(i)
          .append(":\n              Labels:")
          .append(alerts.get(i).labels().braced())
          .append("\n              Annotations:")
          .append(alerts.get(i).annotations().braced());
    }
    return text.append("\n            ]").toString();
  }

  // --- expressions ---

  private void compare(TestFile.ExpressionTest expected) {
    try {
      Expr expression = Parser.parse(expected.expression());
      Answer.Result result =
          result(expected.expression(), expression, test.start() + expected.time());
      List<Answer.Sample> got =
          new ArrayList<>(
              switch (result) {
                case Answer.Vector vector -> vector.samples();
                case Answer.Scalar scalar ->
                    List.of(new Answer.Sample(Labels.EMPTY, scalar.value()));
                case Answer.Text _, Answer.Matrix _ ->
                    throw new QueryFailure(
                        QueryFailure.Kind.EXECUTION, "rule result is not a vector or scalar");
              });
      List<Answer.Sample> wanted = SampleComparison.expected(expected.expected());
      compare(expected, wanted, got);
    } catch (ParseException | QueryFailure | ScriptException e) {
      failures.add(failure(expected) + " err: " + e.getMessage());
    }
  }

  private void compare(
      TestFile.ExpressionTest expected, List<Answer.Sample> wanted, List<Answer.Sample> got) {
    if (!SampleComparison.equal(wanted, got, file.fuzzy())) {
      failures.add(
          failure(expected)
              + "\n        exp: "
              + SampleComparison.shown(wanted)
              + "\n        got: "
              + SampleComparison.shown(got));
    }
  }

  private static String failure(TestFile.ExpressionTest expected) {
    return "    expr: \""
        + expected.expression()
        + "\", time: "
        + Durations.print(expected.time())
        + ",";
  }
}

package io.fleetgauge.query.rules.evaluation;

import static io.fleetgauge.query.rules.evaluation.Fleet.group;
import static io.fleetgauge.query.rules.evaluation.Fleet.minute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.AlertInstance.State;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Notice;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Outcome;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Settings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupEvaluationTest {
  private static final String HOT =
      """
      groups:
      - name: g
        interval: 1m
        rules:
        - {alert: Hot, expr: t > 80, for: 2m, labels: {severity: page}}
      """;

  private static List<String> texts(Outcome outcome) {
    return outcome.samples().stream()
        .map(
            sample ->
                sample.labels()
                    + (Staleness.isMarker(sample.value()) ? " ends" : " " + sample.value()))
        .toList();
  }

  private static List<State> states(Outcome outcome) {
    return outcome.after().rules().getFirst().alerts().stream().map(AlertInstance::state).toList();
  }

  // --- alerts ---

  @Test
  void anAlertIsPendingForAsLongAsItsRuleSaysAndThenFires() {
    Fleet fleet = new Fleet().load("t{node=\"a\"} 70 90x9");
    RuleGroup group = group(HOT);

    assertThat(texts(fleet.evaluate(group, 0))).isEmpty();
    assertThat(states(fleet.evaluate(group, 1))).containsExactly(State.PENDING);
    Outcome pending = fleet.evaluate(group, 2);
    assertThat(pending.alerts()).isEmpty();
    assertThat(texts(pending))
        .containsExactly(
            "ALERTS{alertname=\"Hot\", alertstate=\"pending\", node=\"a\", severity=\"page\"} 1.0",
            "ALERTS_FOR_STATE{alertname=\"Hot\", node=\"a\", severity=\"page\"} "
                + (double) (minute(1) / 1000));
    Outcome firing = fleet.evaluate(group, 3);
    assertThat(texts(firing))
        .contains(
            "ALERTS{alertname=\"Hot\", alertstate=\"firing\", node=\"a\", severity=\"page\"} 1.0",
            "ALERTS{alertname=\"Hot\", alertstate=\"pending\", node=\"a\", severity=\"page\"}"
                + " ends");
    Notice notice = firing.alerts().getFirst();
    assertThat(notice.labels())
        .isEqualTo(Labels.of("alertname", "Hot", "node", "a", "severity", "page"));
    assertThat(notice.startsAt()).isEqualTo(minute(3));
    assertThat(notice.endsAt()).isEqualTo(minute(7));
    assertThat(notice.generatorUrl()).isEqualTo("http://here/graph?g0.expr=t+%3E+80&g0.tab=1");
  }

  @Test
  void aFiringAlertIsSentAgainWhenMoreThanTheResendDelayHasPassed() {
    Fleet fleet = new Fleet().load("t 90x30");
    RuleGroup group = group(HOT.replace("for: 2m, ", ""));
    List<Long> sent = new ArrayList<>();
    for (int at = 0; at < 7; at++) {
      if (!fleet.evaluate(group, at).alerts().isEmpty()) {
        sent.add((long) at);
      }
    }

    assertThat(sent).containsExactly(0L, 2L, 4L, 6L);
  }

  @Test
  void aResolvedAlertIsSentAtOnceAndForFifteenMinutesMore() {
    Fleet fleet = new Fleet().load("t 90 90 10x40");
    RuleGroup group = group(HOT.replace("for: 2m, ", ""));
    fleet.evaluate(group, 0);
    fleet.evaluate(group, 1);

    Outcome resolved = fleet.evaluate(group, 2);
    assertThat(resolved.alerts()).hasSize(1);
    assertThat(resolved.alerts().getFirst().endsAt()).isEqualTo(minute(2));
    for (int at = 3; at <= 17; at++) {
      assertThat(fleet.evaluate(group, at).after().rules().getFirst().alerts()).hasSize(1);
    }
    assertThat(fleet.evaluate(group, 18).after().rules().getFirst().alerts()).isEmpty();
  }

  @Test
  void anAlertThatComesBackWhileItsEndIsStillSentIsANewOne() {
    Fleet fleet = new Fleet().load("t 90 90 90 10 90x9");
    RuleGroup group = group(HOT);
    for (int at = 0; at <= 4; at++) {
      fleet.evaluate(group, at);
    }

    AlertInstance again = fleet.state.rules().getFirst().alerts().getFirst();
    assertThat(again.state()).isEqualTo(State.PENDING);
    assertThat(again.activeAt()).isEqualTo(minute(4));
    assertThat(again.resolvedAt()).isZero();
  }

  @Test
  void anAlertKeepsFiringForAsLongAsItsRuleSays() {
    Fleet fleet = new Fleet().load("t 90 10 90 10x9");
    RuleGroup group = group(HOT.replace("for: 2m", "keep_firing_for: 2m"));
    List<State> states = new ArrayList<>();
    for (int at = 0; at <= 6; at++) {
      states.addAll(states(fleet.evaluate(group, at)));
    }

    assertThat(states)
        .containsExactly(
            State.FIRING,
            State.FIRING,
            State.FIRING,
            State.FIRING,
            State.FIRING,
            State.INACTIVE,
            State.INACTIVE);
  }

  @Test
  void moreAlertsThanTheLimitAreAnErrorAndForgotten() {
    Fleet fleet = new Fleet().load("t{node=\"a\"} 90x9").load("t{node=\"b\"} 10 90x9");
    RuleGroup group = group(HOT.replace("interval: 1m", "limit: 1"));
    fleet.evaluate(group, 0);

    Outcome over = fleet.evaluate(group, 1);

    RuleState rule = over.after().rules().getFirst();
    assertThat(rule.health()).isEqualTo(RuleState.Health.ERR);
    assertThat(rule.lastError()).isEqualTo("exceeded limit of 1 with 2 alerts");
    assertThat(rule.alerts()).isEmpty();
    assertThat(over.samples()).isEmpty();
  }

  @Test
  void aRuleThatCannotBeEvaluatedLeavesItsAlertsAsTheyWere() {
    Fleet fleet = new Fleet().load("t 90x9");
    RuleGroup group = group(HOT);
    fleet.evaluate(group, 0);
    List<AlertInstance> alerts = fleet.state.rules().getFirst().alerts();
    fleet.failure = new QueryFailure(QueryFailure.Kind.TIMEOUT, "too slow");

    Outcome failed = fleet.evaluate(group, 1);

    assertThat(failed.samples()).isEmpty();
    assertThat(failed.after().rules().getFirst().lastError()).isEqualTo("too slow");
    assertThat(failed.after().rules().getFirst().alerts()).isEqualTo(alerts);
    fleet.failure = null;
    assertThat(states(fleet.evaluate(group, 2))).containsExactly(State.FIRING);
  }

  @Test
  void aFiringAlertIsPendingAgainWhenItsRuleDemandsThatItLastsLonger() {
    Fleet fleet = new Fleet().load("t 90x20");
    RuleGroup quick = group(HOT.replace("for: 2m", "for: 1m"));
    fleet.evaluate(quick, 0);
    assertThat(states(fleet.evaluate(quick, 1))).containsExactly(State.FIRING);
    RuleGroup slow = group(HOT.replace("for: 2m", "for: 4m"));

    assertThat(states(fleet.evaluate(slow, 2))).containsExactly(State.PENDING);
    assertThat(states(fleet.evaluate(slow, 3))).containsExactly(State.PENDING);
    assertThat(states(fleet.evaluate(slow, 4))).containsExactly(State.FIRING);
  }

  @Test
  void aTemplateMayAskQueriesWhoseAnswersComeLater() {
    Fleet fleet = new Fleet().load("t{node=\"a\"} 90x9").load("load{node=\"a\"} 7x9");
    RuleGroup group =
        group(
            """
            groups:
            - name: g
              rules:
              - alert: Hot
                expr: t > 80
                annotations:
                  load: '{{ with printf "load{node=%q}" $labels.node | query }}{{ . | first | value }}{{ end }}'
            """);

    AlertInstance alert = fleet.evaluate(group, 0).after().rules().getFirst().alerts().getFirst();

    assertThat(alert.annotations()).containsEntry("load", "7");
    assertThat(fleet.asked).containsExactly("t > 80", "load{node=\"a\"}");
  }

  @Test
  void resultsOfATenantHaveTheLabelsOfItsScopeWhateverItsRulesSay() {
    Fleet fleet = new Fleet().load("t 90x9");
    fleet.settings = scoped(Labels.of("tenant", "a"), List.of());
    RuleGroup group =
        group(
            """
            groups:
            - name: g
              rules:
              - {record: r, expr: t, labels: {tenant: b}}
              - {alert: Hot, expr: t, labels: {tenant: b}}
            """);

    Outcome outcome = fleet.evaluate(group, 0);

    assertThat(outcome.samples()).hasSize(3);
    assertThat(outcome.samples()).allMatch(s -> s.labels().value("tenant").equals("a"));
  }

  @Test
  void resultsOutsideOfTheScopeAreNotWrittenAndTheirRuleSaysSo() throws Exception {
    Fleet fleet = new Fleet().load("t{rack=\"r1\"} 90x9").load("t{rack=\"r2\"} 90x9");
    fleet.settings = scoped(Labels.EMPTY, Parser.parseSelector("{rack=~\"r1|r3\"}"));
    RuleGroup group =
        group(
            """
            groups:
            - name: g
              rules:
              - {record: r, expr: t}
              - {alert: Hot, expr: t}
              - {record: s, expr: 't{rack="r1"}'}
            """);

    Outcome outcome = fleet.evaluate(group, 0);

    assertThat(outcome.samples()).hasSize(4);
    assertThat(outcome.samples()).allMatch(s -> s.labels().value("rack").equals("r1"));
    assertThat(outcome.outside()).isEqualTo(3);
    List<RuleState> rules = outcome.after().rules();
    assertThat(rules)
        .extracting(RuleState::health)
        .containsExactly(RuleState.Health.ERR, RuleState.Health.ERR, RuleState.Health.OK);
    assertThat(rules.getFirst().lastError())
        .isEqualTo(
            "outside of the tenant's scope and not stored: 1 of 2 results, such as r{rack=\"r2\"}");
    Outcome next = fleet.evaluate(group, 1);
    assertThat(next.samples()).as("nothing ends that was not written").hasSize(4);
  }

  private static Settings scoped(Labels labels, List<Matcher> scope) {
    return new Settings(Labels.EMPTY, "", 60_000, 0, RuleGroup.Partial.KEEP, labels, scope);
  }

  // --- missing hosts ---

  @Test
  void withoutAllHostsAlertsStayAsTheyAreAndRecordingRulesWriteNothing() {
    Fleet fleet = new Fleet().load("t 90x9");
    RuleGroup group =
        group(
            """
            groups:
            - name: g
              interval: 1m
              rules:
              - {record: r, expr: t}
              - {alert: Hot, expr: t > 80, for: 1m}
            """);
    fleet.evaluate(group, 0);
    fleet.missing = List.of("n7");

    Outcome kept = fleet.evaluate(group, 1);

    assertThat(kept.after().missing()).containsExactly("n7");
    assertThat(texts(kept))
        .containsExactly(
            "ALERTS{alertname=\"Hot\", alertstate=\"pending\"} 1.0",
            "ALERTS_FOR_STATE{alertname=\"Hot\"} " + (double) (minute(0) / 1000));
    fleet.missing = List.of();
    Outcome whole = fleet.evaluate(group, 2);
    assertThat(whole.after().missing()).isEmpty();
    assertThat(whole.after().rules().get(1).alerts().getFirst().state()).isEqualTo(State.FIRING);
  }

  @Test
  void whereRulesAreEvaluatedWithoutAllHostsTheirAlertsSaySo() {
    Fleet fleet = new Fleet().load("t 90x9");
    fleet.missing = List.of("n7", "n8");
    RuleGroup group =
        group(
            """
            groups:
            - name: g
              partial: evaluate
              rules:
              - {record: r, expr: t}
              - {alert: Hot, expr: t > 80, annotations: {s: '{{ .Partial }} {{ completeness }}'}}
            """);

    Outcome outcome = fleet.evaluate(group, 0);

    assertThat(outcome.after().rules().get(0).series()).hasSize(1);
    assertThat(outcome.alerts().getFirst().annotations())
        .containsEntry("s", "true without 2 hosts: n7, n8")
        .containsEntry("partial", "without 2 hosts: n7, n8");
  }

  // --- order ---

  @Test
  void aRuleSeesWhatRulesBeforeItWriteAtThisSlotAndNothingOfThoseBehindIt() {
    Fleet fleet = new Fleet().load("t 1+1x9");
    RuleGroup group =
        group(
            """
            groups:
            - name: g
              rules:
              - {record: first, expr: t}
              - {record: second, expr: first * 10}
              - {record: third, expr: fourth}
              - {record: fourth, expr: t}
              - {record: apart, expr: t * 2}
            """);

    assertThat(fleet.evaluate(group, 0).after().rules().get(2).series()).isEmpty();
    Outcome outcome = fleet.evaluate(group, 1);
    fleet.series.showUntil(minute(1));

    assertThat(outcome.written()).isPositive();
    assertThat(value(fleet, "second")).isEqualTo(20);
    assertThat(value(fleet, "third")).isEqualTo(1);
    assertThat(value(fleet, "apart")).isEqualTo(4);
  }

  private static double value(Fleet fleet, String metric) {
    var result =
        fleet
            .answer(
                new io.fleetgauge.promql.expr.Expr.Selector(
                    List.of(io.fleetgauge.promql.expr.Matcher.equal(Labels.NAME, metric)),
                    io.fleetgauge.promql.expr.Expr.Shift.NONE,
                    io.fleetgauge.promql.expr.TextSpan.NONE),
                minute(1))
            .toCompletableFuture()
            .join()
            .result();
    return ((io.fleetgauge.promql.query.Answer.Vector) result).samples().getFirst().value();
  }

  @Test
  void rulesThatDoNotReadEachOtherAreAskedBeforeAnyIsAnswered() {
    RuleGroup group =
        group(
            """
            groups:
            - name: g
              rules:
              - {record: a, expr: t}
              - {record: b, expr: t * 2}
              - {alert: C, expr: t * 3}
              - {alert: D, expr: a + b}
            """);
    List<String> asked = new ArrayList<>();
    List<CompletableFuture<GroupEvaluation.QueryAnswer>> open = new ArrayList<>();
    GroupEvaluation.evaluate(
        group,
        GroupState.initial(group),
        minute(0),
        (expression, time) -> {
          asked.add(expression.toString());
          open.add(new CompletableFuture<>());
          return open.getLast();
        },
        samples -> CompletableFuture.completedFuture(null),
        new Fleet().settings);

    assertThat(asked).containsExactly("t", "t * 2", "t * 3");
    List.copyOf(open)
        .forEach(
            each ->
                each.complete(
                    new GroupEvaluation.QueryAnswer(
                        new io.fleetgauge.promql.query.Answer.Vector(0, List.of()), List.of())));
    assertThat(asked).containsExactly("t", "t * 2", "t * 3", "a + b");
  }

  @Test
  void twoResultsOfOneLabelSetAreAnError() {
    Fleet fleet = new Fleet().load("t{n=\"a\"} 90x9").load("t{n=\"b\"} 90x9");
    RuleGroup group =
        group(
            """
            groups:
            - name: g
              rules:
              - {record: r, expr: t, labels: {n: ''}}
              - {alert: A, expr: t, labels: {n: same}}
            """);

    Outcome outcome = fleet.evaluate(group, 0);

    assertThat(outcome.after().rules())
        .extracting(RuleState::lastError)
        .containsExactly(
            "vector contains metrics with the same labelset after applying rule labels",
            "vector contains metrics with the same labelset after applying alert labels");
  }

  // --- series that end ---

  @Test
  void aSeriesThatIsNotWrittenAnyMoreIsEnded() {
    Fleet fleet = new Fleet().load("t{n=\"a\"} 1x9").load("t{n=\"b\"} 1 stale");
    RuleGroup group = group("groups: [{name: g, rules: [{record: r, expr: t}]}]");
    fleet.evaluate(group, 0);

    assertThat(texts(fleet.evaluate(group, 1)))
        .containsExactlyInAnyOrder("r{n=\"a\"} 1.0", "r{n=\"b\"} ends");
    assertThat(texts(fleet.evaluate(group, 2))).containsExactly("r{n=\"a\"} 1.0");
  }

  @Test
  void theSeriesOfARuleThatIsRemovedAreEndedUnlessAnotherRuleWritesThem() {
    Fleet fleet = new Fleet().load("t{n=\"a\"} 1x9").load("t{n=\"b\"} 2x9");
    fleet.evaluate(
        group("groups: [{name: g, rules: [{record: r, expr: t}, {record: s, expr: t}]}]"), 0);

    Outcome changed =
        fleet.evaluate(
            group(
                "groups: [{name: g, rules: [{record: r, expr: 't{n=\"a\"}', labels: {x: y}},"
                    + " {record: s, expr: t}]}]"),
            1);

    assertThat(texts(changed))
        .containsExactlyInAnyOrder(
            "r{n=\"a\", x=\"y\"} 1.0",
            "s{n=\"a\"} 1.0",
            "s{n=\"b\"} 2.0",
            "r{n=\"a\"} ends",
            "r{n=\"b\"} ends");
    assertThat(GroupEvaluation.ended(fleet.state, minute(2)))
        .extracting(DerivedSample::labels)
        .containsExactly(
            Labels.of("__name__", "r", "n", "a", "x", "y"),
            Labels.of("__name__", "s", "n", "a"),
            Labels.of("__name__", "s", "n", "b"));
  }

  @Test
  void alertsOfARuleThatIsKeptGoOnInAChangedGroup() {
    Fleet fleet = new Fleet().load("t 90x9");
    fleet.evaluate(group(HOT), 0);

    RuleGroup changed = group(HOT.replace("t > 80", "t > 85").replace("interval: 1m", "limit: 9"));
    fleet.evaluate(changed, 1);

    assertThat(states(fleet.evaluate(changed, 2))).containsExactly(State.FIRING);
  }

  // --- the law ---

  @Test
  void aSlotIsEvaluatedAfterTheOneBefore() {
    Fleet fleet = new Fleet().load("t 90x9");
    fleet.evaluate(group(HOT), 3);

    assertThatThrownBy(() -> fleet.evaluate(group(HOT), 3))
        .isInstanceOf(CompletionException.class)
        .hasMessageContaining("is not after");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 20_261_124})
  void whoeverStartsFromAnEarlierStateComesToTheSameStateAndTheSameSamples(long seed) {
    Random random = new Random(seed);
    Fleet fleet = new Fleet();
    for (int node = 0; node < 5; node++) {
      StringBuilder values = new StringBuilder();
      for (int at = 0; at < 60; at++) {
        values.append(random.nextInt(8) == 0 ? " _" : " " + (60 + random.nextInt(40)));
      }
      fleet.load("t{node=\"" + node + "\"}" + values);
    }
    RuleGroup group =
        group(
            """
            groups:
            - name: g
              interval: 1m
              rules:
              - {record: max, expr: max by (node) (t)}
              - {alert: Hot, expr: max > 75, for: 2m, labels: {l: '{{ $value }}'}}
              - {alert: Long, expr: max > 75, for: 1m, keep_firing_for: 2m}
              - {alert: Seen, expr: 'count(ALERTS{alertname=~"Hot|Long", alertstate="firing"})', annotations: {v: '{{ $value }}'}}
            """);
    List<GroupState> states = new ArrayList<>();
    List<List<DerivedSample>> samples = new ArrayList<>();
    for (int at = 0; at < 60; at++) {
      samples.add(fleet.evaluate(group, at).samples());
      states.add(fleet.state);
    }

    for (int round = 0; round < 5; round++) {
      int from = random.nextInt(59);
      fleet.state = states.get(from);
      for (int at = from + 1; at < 60; at++) {
        assertThat(fleet.evaluate(group, at).samples()).isEqualTo(samples.get(at));
        assertThat(fleet.state).isEqualTo(states.get(at));
      }
    }
  }

  @Test
  void aFiringAlertThatIsToldLateIsValidForAsLongAndAResolvedOneHasEnded() {
    GroupEvaluation.Notice firing =
        new GroupEvaluation.Notice(Labels.EMPTY, new TreeMap<>(), 10, 340, "");
    GroupEvaluation.Notice resolved =
        new GroupEvaluation.Notice(Labels.EMPTY, new TreeMap<>(), 10, 100, "");
    assertThat(firing.later(100, 1_000).endsAt()).isEqualTo(1_340);
    assertThat(firing.later(100, 0)).isEqualTo(firing);
    assertThat(resolved.later(100, 1_000)).isEqualTo(resolved);
  }
}

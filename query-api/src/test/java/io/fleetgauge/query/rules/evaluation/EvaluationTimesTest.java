package io.fleetgauge.query.rules.evaluation;

import static io.fleetgauge.query.rules.evaluation.Fleet.MINUTE;
import static io.fleetgauge.query.rules.evaluation.Fleet.group;
import static io.fleetgauge.query.rules.evaluation.Fleet.minute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.AlertInstance.State;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Outcome;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Queries;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.QueryAnswer;
import io.fleetgauge.query.rules.evaluation.RuleState.Health;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Of which times rules ask and write, when alerts are sent, and answers that come later. */
class EvaluationTimesTest {
  private static RuleGroup rules(String rules) {
    return group("groups: [{name: g, interval: 1m, rules: [" + rules + "]}]");
  }

  private static CompletionStage<Outcome> begin(
      Fleet fleet, RuleGroup group, long slot, Queries queries) {
    fleet.series.showUntil(slot);
    return GroupEvaluation.evaluate(
        group, GroupState.initial(group), slot, queries, fleet::write, fleet.settings);
  }

  @Test
  void withAnOffsetRulesAskAndWriteAtTheTimeBeforeTheirSlot() {
    RuleGroup group =
        group(
            "groups: [{name: g, query_offset: 2m, rules: [{record: r, expr: t}, {alert: A, expr:"
                + " t}]}]");
    Fleet fleet = new Fleet().load("t 1+1x9");
    List<Long> asked = new ArrayList<>();
    Queries queries =
        (expression, time) -> {
          asked.add(time);
          return fleet.answer(expression, time);
        };
    Outcome outcome = begin(fleet, group, minute(5), queries).toCompletableFuture().join();
    assertThat(asked).containsOnly(minute(3));
    assertThat(outcome.samples()).hasSize(3).allMatch(each -> each.time() == minute(3));
    assertThat(outcome.samples().getFirst())
        .isEqualTo(new DerivedSample(Labels.of("__name__", "r"), minute(3), 4));
    assertThat(outcome.after().rules().get(1).alerts().getFirst().activeAt()).isEqualTo(minute(5));
    Outcome next =
        GroupEvaluation.evaluate(
                rules("{record: s, expr: t}"),
                outcome.after(),
                minute(6),
                queries,
                fleet::write,
                fleet.settings)
            .toCompletableFuture()
            .join();
    assertThat(next.samples()).as("without an offset").allMatch(each -> each.time() == minute(6));
  }

  @Test
  void aResolvedAlertIsSentAgainOnlyAfterTheResendDelay() {
    Fleet fleet = new Fleet().load("t 90 10x40");
    RuleGroup group = rules("{alert: A, expr: t > 80}");
    fleet.evaluate(group, 0);
    List<Integer> sent = new ArrayList<>();
    for (int at = 1; at <= 17; at++) {
      if (!fleet.evaluate(group, at).alerts().isEmpty()) {
        sent.add(at);
      }
    }
    assertThat(sent).containsExactly(1, 3, 5, 7, 9, 11, 13, 15);
  }

  @Test
  void anAlertFiresAtTheSlotAtWhichItHasLastedAsLongAsItsRuleSays() {
    Fleet fleet = new Fleet().load("t 90x40");
    RuleGroup group = rules("{alert: A, expr: t > 80, for: 150s}");
    List<State> states = new ArrayList<>();
    for (int at = 0; at <= 3; at++) {
      states.add(fleet.evaluate(group, at).after().rules().getFirst().alerts().getFirst().state());
    }
    assertThat(states).containsExactly(State.PENDING, State.PENDING, State.PENDING, State.FIRING);
  }

  @Test
  void inAChangedGroupARuleGoesOnFromItsOwnStateOnly() {
    Fleet fleet = new Fleet().load("t 90x40");
    fleet.evaluate(rules("{alert: A, expr: t}, {alert: B, expr: t, for: 1h}"), 0);
    Outcome changed =
        fleet.evaluate(rules("{alert: B, expr: t, for: 1h}, {record: A, expr: t}"), 1);
    AlertInstance b = changed.after().rules().getFirst().alerts().getFirst();
    assertThat(b.labels().value("alertname")).isEqualTo("B");
    assertThat(b.activeAt()).isEqualTo(minute(0));
    assertThat(changed.after().rules().getFirst().alerts()).hasSize(1);
    assertThat(changed.after().rules().get(1).alerts())
        .as("an alert that has become a recording rule")
        .isEmpty();
    assertThat(changed.samples())
        .filteredOn(each -> Staleness.isMarker(each.value()))
        .extracting(each -> each.labels().value("alertname"))
        .containsExactly("A", "A");
  }

  @Test
  void whatAQueryThrowsIsAnErrorOfItsRule() {
    Fleet fleet = new Fleet();
    Outcome outcome =
        begin(
                fleet,
                rules("{record: r, expr: t}"),
                minute(0),
                (expression, time) -> {
                  throw new IllegalStateException("a defect");
                })
            .toCompletableFuture()
            .join();
    assertThat(outcome.after().rules().getFirst().health()).isEqualTo(Health.ERR);
    assertThat(outcome.after().rules().getFirst().lastError()).contains("a defect");
  }

  /** Answers the rule's query at once, and those of templates when the test says so. */
  private static Queries answeringLater(Fleet fleet, List<CompletableFuture<QueryAnswer>> open) {
    return (Expr expression, long time) -> {
      if (expression.toString().equals("t")) {
        return fleet.answer(expression, time);
      }
      open.add(new CompletableFuture<>());
      return open.getLast();
    };
  }

  @Test
  void anAlertIsExpandedWhenTheAnswersToItsTemplatesHaveCome() {
    RuleGroup group =
        rules(
            "{alert: A, expr: t, annotations: {x: '{{ query \"u\" | first | value }}',"
                + " y: '{{ query \"v\" | first | value }}', c: '{{ completeness }}'}}");
    Fleet fleet = new Fleet().load("t{n=\"a\"} 1x9").load("t{n=\"b\"} 1x9");
    fleet.load("u 7x9").load("v 8x9");
    List<CompletableFuture<QueryAnswer>> open = new ArrayList<>();
    CompletableFuture<Outcome> outcome =
        begin(fleet, group, minute(0), answeringLater(fleet, open)).toCompletableFuture();
    assertThat(open).hasSize(1);
    assertThat(outcome).isNotDone();
    open.getFirst().complete(answer(fleet, "u"));
    assertThat(open).as("each query once, whatever alerts ask it").hasSize(2);
    assertThat(outcome).isNotDone();
    open.getLast().complete(answer(fleet, "v"));
    assertThat(outcome.join().after().rules().getFirst().alerts())
        .hasSize(2)
        .allMatch(each -> each.annotations().get("x").equals("7"))
        .allMatch(each -> each.annotations().get("y").equals("8"))
        .allMatch(each -> each.annotations().get("c").equals("complete"));
  }

  private static QueryAnswer answer(Fleet fleet, String metric) {
    try {
      Expr expression = Parser.parse(metric);
      return fleet.answer(expression, minute(0)).toCompletableFuture().join();
    } catch (ParseException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aTemplatesQueryThatHasToBeAskedLaterEndsTheEvaluation() {
    RuleGroup group =
        rules("{alert: A, expr: t, annotations: {x: '{{ query \"u\" | first | value }}'}}");
    Fleet fleet = new Fleet().load("t 1x9");
    List<CompletableFuture<QueryAnswer>> open = new ArrayList<>();
    CompletableFuture<Outcome> outcome =
        begin(fleet, group, minute(0), answeringLater(fleet, open)).toCompletableFuture();
    IOException away = new IOException("the gateway is away");
    open.getFirst().completeExceptionally(away);
    assertThatThrownBy(outcome::join).hasRootCause(away);

    fleet.failing = "u";
    fleet.failure = away;
    assertThatThrownBy(
            () -> begin(fleet, group, minute(0), fleet::answer).toCompletableFuture().join())
        .as("at once")
        .hasRootCause(away);
  }

  @Test
  void keptAlertsOfALostStateAreOfTheirRuleAndSinceTheirFirstSlot() {
    RuleGroup group =
        group(
            "groups: [{name: g, interval: 1m, query_offset: 30s, rules: [{alert: A, expr: t > 80,"
                + " keep_firing_for: 1h, labels: {kind: x}}, {alert: A, expr: u > 80,"
                + " keep_firing_for: 1h, labels: {kind: y}}]}]");
    Fleet fleet = new Fleet().load("t 90x5 10x30").load("u 10x40");
    for (int at = 0; at <= 8; at++) {
      long slot = Slots.from(group, minute(at + 1));
      fleet.series.showUntil(slot);
      GroupState before = fleet.state == null ? GroupState.initial(group) : fleet.state;
      Outcome outcome =
          GroupEvaluation.evaluate(group, before, slot, fleet::answer, fleet::write, fleet.settings)
              .toCompletableFuture()
              .join();
      fleet.write(outcome.samples());
      fleet.state = outcome.after();
    }
    GroupState found =
        Restoration.restored(group, fleet.state.slot() + MINUTE / 2, fleet::answer, fleet.settings)
            .toCompletableFuture()
            .join()
            .orElseThrow();
    assertThat(found.slot()).isEqualTo(fleet.state.slot());
    assertThat(found.rules().get(1).alerts()).as("of the other rule of this name").isEmpty();
    AlertInstance kept = found.rules().getFirst().alerts().getFirst();
    AlertInstance lost = fleet.state.rules().getFirst().alerts().getFirst();
    assertThat(kept.labels()).isEqualTo(lost.labels());
    assertThat(kept.state()).isEqualTo(State.FIRING);
    assertThat(kept.activeAt()).isEqualTo(lost.activeAt());
    assertThat(kept.firedAt()).isEqualTo(lost.firedAt());
    assertThat(kept.keepFiringSince()).isEqualTo(found.slot());
    assertThat(found.rules().getFirst().series())
        .isEqualTo(fleet.state.rules().getFirst().series());
  }
}

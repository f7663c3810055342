package io.fleetgauge.query.rules.evaluation;

import static io.fleetgauge.query.rules.evaluation.Fleet.group;
import static io.fleetgauge.query.rules.evaluation.Fleet.minute;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Outcome;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Queries;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.QueryAnswer;
import io.fleetgauge.query.rules.evaluation.RuleState.Health;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What becomes of the result of a rule's query, and of those of its templates. */
class RuleResultsTest {
  private static String rule(String rule) {
    return "groups: [{name: g, interval: 1m, rules: [" + rule + "]}]";
  }

  private static RuleState only(Outcome outcome) {
    return outcome.after().rules().getFirst();
  }

  private static String annotation(Outcome outcome, String name) {
    return only(outcome).alerts().getFirst().annotations().get(name);
  }

  @Test
  void aScalarIsOneSampleWithoutLabels() {
    Outcome recorded = new Fleet().evaluate(group(rule("{record: r, expr: 1 + 1}")), 0);
    assertThat(recorded.samples())
        .containsExactly(new DerivedSample(Labels.of("__name__", "r"), minute(0), 2));
    Outcome alerted = new Fleet().evaluate(group(rule("{alert: A, expr: 1 + 1}")), 0);
    assertThat(alerted.alerts().getFirst().labels()).isEqualTo(Labels.of("alertname", "A"));
  }

  @Test
  void aResultThatIsNoVectorIsAnErrorOfItsRule() {
    RuleGroup group = group(rule("{record: r, expr: t}, {alert: A, expr: t}"));
    Answer.Matrix matrix = new Answer.Matrix(List.of());
    Outcome outcome =
        GroupEvaluation.evaluate(
                group,
                GroupState.initial(group),
                minute(0),
                (expression, time) ->
                    CompletableFuture.completedFuture(new QueryAnswer(matrix, List.of())),
                samples -> CompletableFuture.completedFuture(null),
                new Fleet().settings)
            .toCompletableFuture()
            .join();
    assertThat(outcome.after().rules())
        .extracting(RuleState::lastError)
        .containsOnly("rule result is not a vector or scalar");
    assertThat(outcome.samples()).isEmpty();
  }

  @Test
  void moreSeriesThanTheLimitAreAnErrorAndNoneIsWritten() {
    Fleet fleet = new Fleet().load("t{n=\"a\"} 1x9").load("t{n=\"b\"} _ _ 1x9");
    RuleGroup group = group(rule("{record: r, expr: t}").replace("interval: 1m", "limit: 1"));
    assertThat(only(fleet.evaluate(group, 0)).health()).isEqualTo(Health.OK);
    Outcome over = fleet.evaluate(group, 2);
    assertThat(only(over).health()).isEqualTo(Health.ERR);
    assertThat(only(over).lastError()).isEqualTo("exceeded limit of 1 with 2 series");
    assertThat(over.samples()).isEmpty();
    assertThat(only(over).series()).as("what it wrote before ends later").hasSize(1);
  }

  @Test
  void asManyAlertsAsTheLimitAreNoError() {
    Fleet fleet = new Fleet().load("t{n=\"a\"} 90x9").load("t{n=\"b\"} 90 10x9");
    RuleGroup group = group(rule("{alert: A, expr: t > 80}").replace("interval: 1m", "limit: 2"));
    assertThat(only(fleet.evaluate(group, 0)).alerts()).hasSize(2);
    RuleGroup less = group(rule("{alert: A, expr: t > 80}").replace("interval: 1m", "limit: 1"));
    assertThat(only(fleet.evaluate(less, 1)).health())
        .as("resolved ones do not count")
        .isEqualTo(Health.OK);
  }

  @Test
  void aHistogramIsRecordedAndIsAnAlertWithoutAValue() {
    Fleet fleet = new Fleet().load("t {{schema:0 count:3 sum:6 buckets:[1 2]}}x9");
    Outcome recorded = fleet.evaluate(group(rule("{record: r, expr: t}")), 0);
    DerivedSample sample = recorded.samples().getFirst();
    assertThat(Staleness.isMarker(sample.value())).isTrue();
    assertThat(sample.histogram().count()).isEqualTo(3);
    fleet.state = null;
    Outcome alerted =
        fleet.evaluate(group(rule("{alert: A, expr: t, annotations: {v: '{{ $value }}'}}")), 0);
    assertThat(only(alerted).alerts().getFirst().value()).isZero();
    assertThat(annotation(alerted, "v")).contains("sum:6");
  }

  @Test
  void howLongARuleTookIsTheTimeOfItsQueriesClock() {
    RuleGroup group = group(rule("{record: r, expr: t}"));
    Fleet fleet = new Fleet().load("t 1x9");
    Queries slow =
        new Queries() {
          private long nanos = 40;

          @Override
          public CompletionStage<QueryAnswer> instant(Expr expression, long time) {
            nanos += 7;
            return fleet.answer(expression, time);
          }

          @Override
          public long nanoTime() {
            return nanos;
          }
        };
    fleet.series.showUntil(minute(0));
    Outcome outcome =
        GroupEvaluation.evaluate(
                group,
                GroupState.initial(group),
                minute(0),
                slow,
                samples -> CompletableFuture.completedFuture(null),
                fleet.settings)
            .toCompletableFuture()
            .join();
    assertThat(only(outcome).durationNanos()).isEqualTo(7);
    assertThat(only(outcome).lastEvaluation()).isEqualTo(minute(0));
  }

  @Test
  void anAlertNamesTenOfTheHostsThatItsRuleDidNotSee() {
    RuleGroup group =
        group(
            rule("{alert: A, expr: t, annotations: {s: '{{ completeness }}'}}")
                .replace("interval: 1m", "partial: evaluate"));
    Fleet fleet = new Fleet().load("t 90x9");
    fleet.missing = List.of("n1");
    assertThat(annotation(fleet.evaluate(group, 0), "s")).isEqualTo("without host n1");
    List<String> many = new ArrayList<>();
    for (int i = 21; i >= 10; i--) {
      many.add("n" + i);
    }
    fleet.missing = many;
    assertThat(annotation(fleet.evaluate(group, 1), "partial"))
        .isEqualTo("without 12 hosts: n10, n11, n12, n13, n14, n15, n16, n17, n18, n19 and 2 more");
    fleet.missing = many.subList(2, 12);
    assertThat(annotation(fleet.evaluate(group, 2), "partial")).endsWith(", n18, n19");
  }

  @Test
  void alertsStayAsTheyAreWhenOnlyAQueryOfATemplateLacksHosts() {
    RuleGroup group =
        group(rule("{alert: A, expr: t > 80, annotations: {x: '{{ query \"u\" | len }}'}}"));
    Fleet fleet = new Fleet().load("t 90 95x9").load("u 1x9");
    fleet.evaluate(group, 0);
    fleet.series.showUntil(minute(1));
    Outcome kept =
        GroupEvaluation.evaluate(
                group,
                fleet.state,
                minute(1),
                (expression, time) ->
                    fleet
                        .answer(expression, time)
                        .thenApply(
                            seen ->
                                expression.toString().equals("u")
                                    ? new QueryAnswer(seen.result(), List.of("n9"))
                                    : seen),
                samples -> CompletableFuture.completedFuture(null),
                fleet.settings)
            .toCompletableFuture()
            .join();
    assertThat(kept.after().missing()).containsExactly("n9");
    assertThat(only(kept).alerts().getFirst().value()).isEqualTo(90);
    assertThat(kept.samples()).as("they are written for this slot too").hasSize(2);
  }

  @Test
  void aQueryOfATemplateThatFailsIsAnErrorInItsText() {
    RuleGroup group =
        group(
            rule(
                "{alert: A, expr: t, annotations: {bad: '{{ query \"(\" }}',"
                    + " slow: '{{ query \"u\" }}', text: '{{ query \"u offset 1m\" }}',"
                    + " one: '{{ query \"1 + 2\" | first | value }}'}}"));
    Fleet fleet = new Fleet().load("t 90x9").load("u 1x9");
    fleet.failing = "u";
    fleet.failure = new QueryFailure(QueryFailure.Kind.TIMEOUT, "too slow");
    Outcome outcome = fleet.evaluate(group, 0);
    assertThat(only(outcome).health()).isEqualTo(Health.OK);
    assertThat(annotation(outcome, "bad")).startsWith("<error expanding template: ");
    assertThat(annotation(outcome, "slow"))
        .startsWith("<error expanding template: ")
        .contains("too slow");
    assertThat(annotation(outcome, "one")).isEqualTo("3");
  }

  @Test
  void theTemplatesOfARuleAskAThousandQueriesAtMost() {
    Fleet fleet = new Fleet();
    for (int i = 0; i < 1_002; i++) {
      fleet.load("t{i=\"" + (10_000 + i) + "\"} 1x9");
    }
    RuleGroup group =
        group(
            rule(
                "{alert: A, expr: t, annotations: {x: '{{ with printf \"vector(%s)\" $labels.i |"
                    + " query }}{{ . | first | value }}{{ end }}'}}"));
    List<AlertInstance> alerts = only(fleet.evaluate(group, 0)).alerts();
    assertThat(fleet.asked).hasSize(1_001);
    assertThat(alerts.stream().filter(each -> each.annotations().get("x").startsWith("1")))
        .hasSize(1_000);
    assertThat(alerts.getLast().annotations().get("x"))
        .contains("more than 1000 queries in one evaluation");
  }
}

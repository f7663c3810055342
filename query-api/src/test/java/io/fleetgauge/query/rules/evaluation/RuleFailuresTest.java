package io.fleetgauge.query.rules.evaluation;

import static io.fleetgauge.query.rules.evaluation.Fleet.group;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Outcome;
import io.fleetgauge.query.rules.evaluation.RuleState.Health;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What fails of a rule leaves the rest of its group alone. */
class RuleFailuresTest {
  @Test
  void ofTwoSamplesOfASeriesTheFirstIsWrittenAndTheRuleOfTheOtherSaysSo() {
    Fleet fleet = new Fleet().load("t 90x9");
    RuleGroup group =
        group(
            """
            groups:
            - name: g
              rules:
              - {record: a, expr: "1"}
              - {record: b, expr: a}
              - {record: a, expr: "2"}
              - {record: a, expr: "1"}
            """);
    List<DerivedSample> all = new ArrayList<>();
    fleet.onWrite = all::addAll;

    for (int minute = 0; minute < 2; minute++) {
      all.clear();
      Outcome outcome = fleet.evaluate(group, minute);

      assertThat(all)
          .extracting(sample -> sample.labels() + " " + sample.value())
          .containsExactlyInAnyOrder("a{} 1.0", "b{} 1.0", "a{} 1.0");
      assertThat(outcome.after().rules())
          .extracting(RuleState::health)
          .containsExactly(Health.OK, Health.OK, Health.ERR, Health.OK);
      assertThat(outcome.after().rules().get(2).lastError())
          .isEqualTo(
              "duplicate sample for timestamp: an earlier rule wrote other values of 1 of 1"
                  + " results, such as a{}");
      assertThat(outcome.after().rules().get(2).series()).isEmpty();
    }
  }

  @Test
  void aDefectIsAnErrorOfItsRuleAndTheOthersOfTheGroupGoOn() {
    Fleet fleet = new Fleet().load("t 90x9");
    fleet.failing = "t > 80";
    fleet.failure = new IllegalStateException("a defect");

    Outcome outcome =
        fleet.evaluate(
            group(
                """
                groups:
                - name: g
                  rules:
                  - {alert: Hot, expr: t > 80}
                  - {record: r, expr: t + 1}
                """),
            0);

    assertThat(outcome.after().rules())
        .extracting(RuleState::health)
        .containsExactly(Health.ERR, Health.OK);
    assertThat(outcome.after().rules().getFirst().lastError()).contains("a defect");
    assertThat(outcome.samples()).hasSize(1);
  }

  @Test
  void aFailureThatIsNoneOfTheQueryEndsTheEvaluation() {
    Fleet fleet = new Fleet().load("t 90x9");
    fleet.failure = new IOException("the gateway is away");

    assertThatThrownBy(
            () -> fleet.evaluate(group("groups: [{name: g, rules: [{record: r, expr: t}]}]"), 0))
        .hasRootCause(fleet.failure);
  }

  @Test
  void aTemplateThatFailsIsAnErrorInItsLabelOrAnnotationOnly() {
    Fleet fleet = new Fleet().load("t{node=\"a\"} 90x9");
    String deep =
        "{{ define `x` }}%s{{ template `x` }}%s{{ end }}{{ template `x` }}"
            .formatted("{{ if 1 }}".repeat(240), "{{ end }}".repeat(240));

    AlertInstance alert =
        fleet
            .evaluate(
                group(
                    """
                    groups:
                    - name: g
                      rules:
                      - alert: Hot
                        expr: t > 80
                        labels: {level: '{{ print "hi" "gh" }}'}
                        annotations:
                          wide: '{{ printf "%s"%s }}'
                          deep: '%s'
                          fine: '{{ $labels.node }}'
                    """
                        .formatted("%1000d".repeat(3_000), " 1".repeat(3_000), deep)),
                0)
            .after()
            .rules()
            .getFirst()
            .alerts()
            .getFirst();

    assertThat(alert.labels().value("level")).isEqualTo("high");
    assertThat(alert.annotations().get("wide"))
        .startsWith("<error expanding template: ")
        .contains("more than 262144 characters");
    assertThat(alert.annotations().get("deep"))
        .startsWith("<error expanding template: ")
        .contains("nest more than");
    assertThat(alert.annotations()).containsEntry("fine", "a");
  }

  @Test
  void theTemplatesOfARuleMakeNoMoreTextThanMemoryCanKeep() {
    Fleet fleet = new Fleet();
    for (int i = 0; i < 200; i++) {
      fleet.load("t{i=\"" + i + "\"} 90x9");
    }

    List<AlertInstance> alerts =
        fleet
            .evaluate(
                group(
                    """
                    groups:
                    - name: g
                      rules:
                      - alert: Hot
                        expr: t > 80
                        annotations: {wide: '{{ printf "%s"%s }}'}
                    """
                        .formatted("%1000d".repeat(200), " 1".repeat(200))),
                0)
            .after()
            .rules()
            .getFirst()
            .alerts();

    assertThat(alerts).hasSize(200);
    assertThat(alerts.stream().mapToLong(alert -> alert.annotations().get("wide").length()).sum())
        .isLessThan(Expansions.MAX_CHARACTERS + 500_000);
    assertThat(alerts).anyMatch(alert -> alert.annotations().get("wide").contains("of the rule"));
  }
}

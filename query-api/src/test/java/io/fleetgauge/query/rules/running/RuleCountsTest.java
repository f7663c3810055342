package io.fleetgauge.query.rules.running;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.RuleState;
import io.fleetgauge.runtime.process.Meters;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class RuleCountsTest {
  private static final RuleGroup.Id GROUP = new RuleGroup.Id("", "f", "g");
  private static final RuleGroup.Id OF_TENANT = new RuleGroup.Id("t", "f", "g");

  private final RuleCounts counts = new RuleCounts();
  private final Meters meters = new Meters("query");

  private static GroupState state(RuleGroup.Id group, List<String> missing) {
    RuleState good = new RuleState("a{}", RuleState.Health.OK, "", 0, 0, List.of(), List.of());
    RuleState bad = new RuleState("b{}", RuleState.Health.ERR, "e", 0, 0, List.of(), List.of());
    return new GroupState(group, 90_500, "d", missing, List.of(good, bad, bad));
  }

  private String page() {
    return new String(meters.exposition(), StandardCharsets.UTF_8);
  }

  @Test
  void whatIsCountedOfAGroupHasTheNamesOfPrometheus() {
    counts.declare(meters);
    counts.evaluated(state(GROUP, List.of()), 0.25, 1.5, 40);
    counts.evaluated(state(GROUP, List.of("n1")), 0.5, 2.5, 41);
    counts.evaluated(state(OF_TENANT, List.of()), 0.125, 70, 1);
    assertThat(page())
        .contains(
            "query_rule_group_iterations_total{rule_group=\"f;g\"} 2.0",
            "query_rule_group_iterations_total{rule_group=\"t;f;g\"} 1.0",
            "query_rule_evaluations_total{rule_group=\"f;g\"} 6.0",
            "query_rule_evaluation_failures_total{rule_group=\"f;g\"} 4.0",
            "query_rule_group_last_duration_seconds{rule_group=\"f;g\"} 0.5",
            "query_rule_group_last_evaluation_timestamp_seconds{rule_group=\"f;g\"} 90.5",
            "query_rule_group_rules{rule_group=\"f;g\"} 3.0",
            "query_rule_group_last_evaluation_samples{rule_group=\"f;g\"} 41.0",
            "query_rule_slots_partial_total 1.0",
            "query_rule_lateness_seconds_bucket{le=\"1.0\"} 0",
            "query_rule_lateness_seconds_bucket{le=\"2.0\"} 1",
            "query_rule_lateness_seconds_bucket{le=\"5.0\"} 2",
            "query_rule_lateness_seconds_bucket{le=\"60.0\"} 2",
            "query_rule_lateness_seconds_bucket{le=\"300.0\"} 3");
  }

  @Test
  void aGroupThatIsForgottenIsNotShown() {
    counts.declare(meters);
    counts.evaluated(state(GROUP, List.of()), 1, 1, 1);
    counts.evaluated(state(OF_TENANT, List.of()), 1, 1, 1);
    counts.forget(GROUP);
    assertThat(page()).contains("rule_group=\"t;f;g\"").doesNotContain("rule_group=\"f;g\"");
  }

  @Test
  void slotsThatWaitOrAreLateAndResultsOutOfScopeAreCountedApart() {
    counts.declare(meters);
    counts.late();
    counts.late();
    counts.postponed();
    counts.outOfScope(5);
    assertThat(page())
        .contains(
            "query_rule_slots_late_total 2.0",
            "query_rule_evaluations_postponed_total 1.0",
            "query_rule_results_out_of_scope_total 5.0",
            "query_rule_slots_partial_total 0.0");
  }

  @Test
  void beforeItIsDeclaredNothingIsLost() {
    counts.evaluated(state(GROUP, List.of()), 1, 1, 1);
    counts.declare(meters);
    assertThat(page()).contains("query_rule_group_iterations_total{rule_group=\"f;g\"} 1.0");
  }
}

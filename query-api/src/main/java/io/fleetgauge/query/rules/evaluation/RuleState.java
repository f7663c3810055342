package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.sample.Labels;
import java.util.List;

/**
 * The state of a rule after an evaluation.
 *
 * @param rule name and labels, by which the rule is found again in a changed group; as Prometheus
 *     does it, rules that have both in common are found in their order
 * @param health of the last evaluation
 * @param lastError why it failed; empty unless it did
 * @param lastEvaluation its slot, ms since the epoch; 0 before the first one
 * @param durationNanos time that it took
 * @param alerts of an alerting rule, the resolved ones that are still sent included; by label set
 * @param series that it wrote at the last slot, so that the next one can end those that are gone
 */
public record RuleState(
    String rule,
    Health health,
    String lastError,
    long lastEvaluation,
    long durationNanos,
    List<AlertInstance> alerts,
    List<Labels> series) {

  /** The outcome of the last evaluation of a rule. */
  public enum Health {
    UNKNOWN,
    OK,
    ERR
  }

  public RuleState {
    alerts = List.copyOf(alerts);
    series = List.copyOf(series);
  }

  RuleState withoutAlerts() {
    return new RuleState(rule, health, lastError, lastEvaluation, durationNanos, List.of(), series);
  }

  /** The state before the first evaluation. */
  public static RuleState initial(String rule) {
    return new RuleState(rule, Health.UNKNOWN, "", 0, 0, List.of(), List.of());
  }
}

package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.sample.Labels;
import java.util.List;

/**
 * What is known of a rule after an evaluation.
 *
 * @param health of the last evaluation
 * @param lastError why it failed; empty unless it did
 * @param lastEvaluation when it began, ms since the epoch; 0 before the first one
 * @param durationNanos how long it took
 * @param alerts of an alerting rule, the resolved ones that are still sent included; by label set
 * @param series that it wrote at the last slot, so that the next one can end those that are gone
 */
public record RuleState(
    Health health,
    String lastError,
    long lastEvaluation,
    long durationNanos,
    List<AlertInstance> alerts,
    List<Labels> series) {

  /** How the last evaluation of a rule went. */
  public enum Health {
    UNKNOWN,
    OK,
    ERR
  }
}

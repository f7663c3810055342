package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Set;

/**
 * The result of one rule at a slot.
 *
 * @param samples without staleness markers
 * @param missing hosts that its queries could not see
 * @param outside number of samples that are not among them, because they are outside of the scope
 */
record RuleStep(
    RuleState after,
    List<DerivedSample> samples,
    List<GroupEvaluation.Notice> notices,
    List<String> missing,
    int outside) {
  RuleStep(
      RuleState after,
      List<DerivedSample> samples,
      List<GroupEvaluation.Notice> notices,
      List<String> missing) {
    this(after, samples, notices, missing, 0);
  }

  /**
   * This step without samples of which an earlier rule of the group has written other values.
   *
   * @param refused their series; not empty
   */
  RuleStep without(Set<Labels> refused) {
    String error =
        "duplicate sample for timestamp: an earlier rule wrote other values of %d of %d results,"
            + " such as %s";
    return new RuleStep(
        new RuleState(
            after.rule(),
            RuleState.Health.ERR,
            error.formatted(refused.size(), samples.size(), refused.iterator().next()),
            after.lastEvaluation(),
            after.durationNanos(),
            after.alerts(),
            after.series().stream().filter(series -> !refused.contains(series)).toList()),
        samples.stream().filter(sample -> !refused.contains(sample.labels())).toList(),
        notices,
        missing,
        outside);
  }
}

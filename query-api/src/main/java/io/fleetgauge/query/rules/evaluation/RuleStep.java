package io.fleetgauge.query.rules.evaluation;

import java.util.List;

/**
 * What comes of one rule at a slot.
 *
 * @param samples without staleness markers
 * @param missing hosts that its queries could not see
 * @param outside how many samples are not among them, because they are outside of the scope
 */
record RuleStep(
    RuleState after,
    List<GroupEvaluation.Written> samples,
    List<GroupEvaluation.Notice> notices,
    List<String> missing,
    int outside) {
  RuleStep(
      RuleState after,
      List<GroupEvaluation.Written> samples,
      List<GroupEvaluation.Notice> notices,
      List<String> missing) {
    this(after, samples, notices, missing, 0);
  }
}

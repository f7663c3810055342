package io.fleetgauge.operator.rules;

import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Map;

/**
 * A file of unit tests for rules. Lengths in ms.
 *
 * @param ruleFiles globs, relative to the file's folder
 * @param groupOrder names of groups in the order in which they are evaluated
 * @param fuzzy whether values that differ in the last bit are equal
 */
record TestFile(
    List<String> ruleFiles,
    long evaluationInterval,
    List<String> groupOrder,
    boolean fuzzy,
    List<TestGroup> tests) {

  /**
   * Series, and what rules and queries make of them.
   *
   * @param interval from one value of a series to the next
   * @param start time of the first value, ms since the epoch
   */
  record TestGroup(
      String name,
      long interval,
      long start,
      List<Input> series,
      List<AlertTest> alerts,
      List<ExpressionTest> expressions,
      Labels externalLabels,
      String externalUrl) {}

  record Input(String series, String values) {}

  /** The alerts of one name that fire at a time. */
  record AlertTest(long time, String alert, List<ExpectedAlert> expected) {}

  record ExpectedAlert(Map<String, String> labels, Map<String, String> annotations) {}

  /** The result of a query at a time. */
  record ExpressionTest(String expression, long time, List<ExpectedSample> expected) {}

  /**
   * @param labels in PromQL's notation
   * @param histogram in the notation of scripts; empty for a number
   */
  record ExpectedSample(String labels, double value, String histogram) {}
}

package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The series of an alert, as Prometheus names them. */
final class Alerts {
  /** The value is 1 while an alert is pending or firing. */
  static final String STATE_SERIES = "ALERTS";

  /** The value is the time since when the alert is active, seconds since the epoch. */
  static final String SINCE_SERIES = "ALERTS_FOR_STATE";

  static final String NAME = "alertname";
  static final String STATE = "alertstate";

  private Alerts() {}

  /** The labels of a rule, those of its group included, without empty ones. */
  static Labels labels(RuleGroup group, Rule rule) {
    return Labels.of(group.labels(rule));
  }

  /** Sets labels; an empty value removes one. */
  static Labels overridden(Labels labels, Map<String, String> by) {
    Labels result = labels;
    for (var entry : by.entrySet()) {
      result = result.with(entry.getKey(), entry.getValue());
    }
    return result;
  }

  /** Adds the samples of an active alert. */
  static void addSamples(
      Rule.Alerting rule,
      Labels ruleLabels,
      AlertInstance alert,
      long time,
      List<DerivedSample> out) {
    Labels common = ruleLabels.with(alert.labels()).with(NAME, rule.name());
    String state = alert.state().name().toLowerCase(Locale.ROOT);
    out.add(new DerivedSample(common.with(Labels.NAME, STATE_SERIES).with(STATE, state), time, 1));
    out.add(
        new DerivedSample(
            common.with(Labels.NAME, SINCE_SERIES), time, Math.floorDiv(alert.activeAt(), 1000L)));
  }
}

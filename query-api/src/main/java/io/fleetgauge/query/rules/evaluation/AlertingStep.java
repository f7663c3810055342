package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.AlertInstance.State;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Notice;
import io.fleetgauge.query.rules.template.Links;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Moves the alerts of a rule at a slot.
 *
 * @see <a href="https://github.com/prometheus/prometheus">rules/alerting.go, Eval</a>
 */
final class AlertingStep {
  /** Time for which a resolved alert is kept, and so sent again. */
  static final long RESOLVED_KEPT = 900_000;

  /** Number of intervals, or resend delays, for which an alert that is not sent again is valid. */
  private static final int VALID_ROUNDS = 4;

  private final RuleGroup group;
  private final Rule.Alerting rule;
  private final Labels labels;
  private final long slot;
  private final long sampleTime;
  private final GroupEvaluation.Settings settings;

  /** A series of the result, with the labels and annotations of its alert. */
  record AlertElement(Labels labels, SortedMap<String, String> annotations, double value) {}

  /** The alerts after the slot, and what is written and sent. */
  record StepResult(
      List<AlertInstance> alerts, List<DerivedSample> samples, List<Notice> notices) {}

  AlertingStep(RuleGroup group, Rule.Alerting rule, long slot, GroupEvaluation.Settings settings) {
    this.group = group;
    this.rule = rule;
    this.labels = Alerts.labels(group, rule);
    this.slot = slot;
    this.sampleTime = slot - group.queryOffset().orElse(settings.queryOffset());
    this.settings = settings;
  }

  /**
   * @param seen the series of the result, by the labels of their alerts
   * @throws LimitExceeded if more alerts are active than the group allows
   */
  StepResult evaluated(List<AlertInstance> before, Map<Labels, AlertElement> seen)
      throws LimitExceeded {
    TreeMap<Labels, AlertInstance> alerts = new TreeMap<>();
    for (AlertInstance alert : before) {
      alerts.put(alert.labels(), alert);
    }
    seen.values().forEach(series -> alerts.compute(series.labels(), (_, old) -> of(series, old)));
    List<AlertInstance> after = new ArrayList<>();
    List<DerivedSample> samples = new ArrayList<>();
    int active = 0;
    for (AlertInstance alert : alerts.values()) {
      AlertInstance next = seen.containsKey(alert.labels()) ? present(alert) : absent(alert);
      if (next != null) {
        next = next.state() == State.FIRING ? notBefore(next) : next;
        after.add(next);
        if (next.state() != State.INACTIVE) {
          active++;
          Alerts.addSamples(rule, labels, next, sampleTime, samples);
        }
      }
    }
    int limit = group.limit().orElse(0);
    if (limit > 0 && active > limit) {
      throw new LimitExceeded("exceeded limit of " + limit + " with " + active + " alerts");
    }
    return sent(after, samples);
  }

  /** All alerts stay as they are; their samples are written for this slot too. */
  StepResult kept(List<AlertInstance> before) {
    List<DerivedSample> samples = new ArrayList<>();
    for (AlertInstance alert : before) {
      if (alert.state() != State.INACTIVE) {
        Alerts.addSamples(rule, labels, alert, sampleTime, samples);
      }
    }
    return sent(before, samples);
  }

  private AlertInstance of(AlertElement series, AlertInstance old) {
    if (old == null || old.state() == State.INACTIVE) {
      return new AlertInstance(
          series.labels(), series.annotations(), State.PENDING, series.value(), slot, 0, 0, 0, 0);
    }
    return new AlertInstance(
        old.labels(),
        series.annotations(),
        old.state(),
        series.value(),
        old.activeAt(),
        old.firedAt(),
        old.resolvedAt(),
        old.keepFiringSince(),
        old.lastSentAt());
  }

  private AlertInstance present(AlertInstance alert) {
    return fired(with(alert, alert.state(), alert.firedAt(), alert.resolvedAt(), 0));
  }

  /** An alert whose series is gone; null when nothing is kept of it. */
  private AlertInstance absent(AlertInstance alert) {
    boolean keeps = alert.state() == State.FIRING && rule.keepFiringMillis() > 0;
    long since = alert.keepFiringSince();
    if (keeps) {
      since = since == 0 ? slot : since;
      if (slot - since < rule.keepFiringMillis()) {
        return with(alert, State.FIRING, alert.firedAt(), alert.resolvedAt(), since);
      }
    }
    boolean old = alert.resolvedAt() != 0 && slot - alert.resolvedAt() > RESOLVED_KEPT;
    if (alert.state() == State.PENDING || old) {
      return null;
    }
    return alert.state() == State.INACTIVE
        ? alert
        : with(alert, State.INACTIVE, alert.firedAt(), slot, since);
  }

  /** A firing alert is pending again when its rule now demands that it lasts longer. */
  private AlertInstance notBefore(AlertInstance alert) {
    return slot - alert.activeAt() >= rule.forMillis()
        ? alert
        : sentAt(with(alert, State.PENDING, 0, alert.resolvedAt(), 0), 0);
  }

  private AlertInstance fired(AlertInstance alert) {
    return alert.state() == State.PENDING && slot - alert.activeAt() >= rule.forMillis()
        ? with(alert, State.FIRING, slot, alert.resolvedAt(), alert.keepFiringSince())
        : alert;
  }

  private static AlertInstance with(
      AlertInstance alert, State state, long firedAt, long resolvedAt, long keepFiringSince) {
    return new AlertInstance(
        alert.labels(),
        alert.annotations(),
        state,
        alert.value(),
        alert.activeAt(),
        firedAt,
        resolvedAt,
        keepFiringSince,
        alert.lastSentAt());
  }

  private static AlertInstance sentAt(AlertInstance alert, long slot) {
    return new AlertInstance(
        alert.labels(),
        alert.annotations(),
        alert.state(),
        alert.value(),
        alert.activeAt(),
        alert.firedAt(),
        alert.resolvedAt(),
        alert.keepFiringSince(),
        slot);
  }

  // --- what is sent ---

  private StepResult sent(List<AlertInstance> alerts, List<DerivedSample> samples) {
    return new StepResult(
        alerts.stream().map(alert -> isDue(alert) ? sentAt(alert, slot) : alert).toList(),
        samples,
        alerts.stream().filter(this::isDue).map(this::notice).toList());
  }

  private boolean isDue(AlertInstance alert) {
    return alert.state() != State.PENDING
        && (alert.resolvedAt() > alert.lastSentAt()
            || alert.lastSentAt() + settings.resendDelay() < slot);
  }

  private Notice notice(AlertInstance alert) {
    long validUntil = slot + VALID_ROUNDS * Math.max(group.interval(), settings.resendDelay());
    return new Notice(
        alert.labels(),
        alert.annotations(),
        alert.firedAt(),
        alert.resolvedAt() != 0 ? alert.resolvedAt() : validUntil,
        settings.externalUrl() + Links.table(rule.expression().toString()));
  }
}

package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.TextSpan;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.AlertInstance.State;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Queries;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Settings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Finds the state of a group again from what it has stored, when no process has it any more.
 *
 * <p>The group is evaluated at the last slot of which alerts are stored; since when an alert is
 * active, and whether and since when it fires, comes from its series. Unlike Prometheus, this works
 * for rules with templates in their labels, because series are compared with the labels that the
 * evaluation makes. Series of other groups are not at the slots of this one.
 */
public final class Restoration {
  /** Greatest age of the last slot, ms: as Prometheus's outage tolerance. */
  public static final long TOLERANCE = 3_600_000;

  private final RuleGroup group;
  private final long offset;
  private final Map<Labels, Series> since = new HashMap<>();
  private final Map<Labels, Series> firing = new HashMap<>();

  private Restoration(RuleGroup group, Settings settings) {
    this.group = group;
    this.offset = group.queryOffset().orElse(settings.queryOffset());
  }

  /**
   * The state after the last slot that is stored.
   *
   * @param now ms since the epoch; slots after it are not seen
   * @return empty if no alert of the group was active in the hour before
   */
  public static CompletionStage<Optional<GroupState>> restored(
      RuleGroup group, long now, Queries queries, Settings settings) {
    Restoration restoration = new Restoration(group, settings);
    List<CompletableFuture<Void>> asked = new ArrayList<>();
    for (Rule rule : group.rules()) {
      if (rule instanceof Rule.Alerting) {
        asked.add(restoration.ask(rule, Alerts.SINCE_SERIES, restoration.since, now, queries));
        asked.add(restoration.ask(rule, Alerts.STATE_SERIES, restoration.firing, now, queries));
      }
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
        .thenCompose(_ -> restoration.evaluated(queries, settings));
  }

  private CompletableFuture<Void> ask(
      Rule rule, String metric, Map<Labels, Series> into, long now, Queries queries) {
    List<Matcher> matchers = new ArrayList<>();
    if (metric.equals(Alerts.STATE_SERIES)) {
      matchers.add(Matcher.equal(Alerts.STATE, "firing"));
    }
    matchers.add(Matcher.equal(Alerts.NAME, rule.name()));
    matchers.add(Matcher.equal(Labels.NAME, metric));
    Expr.Selector selector = new Expr.Selector(matchers, Expr.Shift.NONE, TextSpan.NONE);
    return queries
        .instant(new Expr.Window(selector, TOLERANCE, TextSpan.NONE), now)
        .thenAccept(
            seen -> {
              if (seen.result() instanceof Answer.Matrix matrix) {
                synchronized (into) {
                  for (Series series : matrix.series()) {
                    Labels labels = series.labels().without(Labels.NAME).without(Alerts.STATE);
                    if (series.size() > 0 && isSlot(last(series))) {
                      into.put(labels, series);
                    }
                  }
                }
              }
            })
        .toCompletableFuture();
  }

  private static long last(Series series) {
    return series.times()[series.size() - 1];
  }

  private boolean isSlot(long sampleTime) {
    return Slots.at(group, sampleTime + offset) == sampleTime + offset;
  }

  private CompletionStage<Optional<GroupState>> evaluated(Queries queries, Settings settings) {
    long newest = since.values().stream().mapToLong(Restoration::last).max().orElse(-1);
    if (newest < 0) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    RuleGroup evaluable =
        new RuleGroup(
            group.id(),
            group.interval(),
            group.queryOffset(),
            group.limit(),
            group.labels(),
            Optional.of(RuleGroup.Partial.EVALUATE), // with what is there
            group.rules());
    return GroupEvaluation.evaluate(
            evaluable,
            GroupState.initial(evaluable),
            newest + offset,
            queries,
            _ -> CompletableFuture.completedFuture(null),
            settings)
        .thenApply(outcome -> Optional.of(merged(outcome.after(), newest)));
  }

  // --- what is stored, and what is evaluated ---

  private GroupState merged(GroupState evaluated, long newest) {
    List<RuleState> rules = new ArrayList<>();
    Set<Labels> seen = new HashSet<>();
    for (int i = 0; i < group.rules().size(); i++) {
      for (AlertInstance alert : evaluated.rules().get(i).alerts()) {
        seen.add(stored(group.rules().get(i), alert.labels()));
      }
    }
    for (int i = 0; i < group.rules().size(); i++) {
      RuleState state = evaluated.rules().get(i);
      rules.add(
          group.rules().get(i) instanceof Rule.Alerting rule
              ? merged(rule, state, newest, seen)
              : state);
    }
    return new GroupState(
        group.id(),
        evaluated.slot(),
        GroupState.definitionOf(group),
        evaluated.missing(),
        rules,
        List.of());
  }

  /** The labels that an alert is stored with, without those of the metric. */
  private Labels stored(Rule rule, Labels alert) {
    return Alerts.labels(group, rule).with(alert).with(Alerts.NAME, rule.name());
  }

  private RuleState merged(Rule.Alerting rule, RuleState state, long newest, Set<Labels> seen) {
    Labels own = Alerts.labels(group, rule);
    TreeMap<Labels, AlertInstance> alerts = new TreeMap<>();
    List<DerivedSample> written = new ArrayList<>();
    for (AlertInstance alert : state.alerts()) {
      Labels stored = stored(rule, alert.labels());
      Series active = since.get(stored);
      AlertInstance known =
          active == null || last(active) != newest
              ? alert
              : known(rule, alert, active, firing.get(stored), newest);
      alerts.put(known.labels(), known);
    }
    if (rule.keepFiringMillis() > 0) {
      for (var entry : firing.entrySet()) {
        boolean isOurs = last(entry.getValue()) == newest && !seen.contains(entry.getKey());
        if (isOurs && isOf(rule, entry.getKey())) {
          AlertInstance kept = kept(rule, entry.getKey(), entry.getValue(), newest);
          seen.add(entry.getKey());
          alerts.put(kept.labels(), kept);
        }
      }
    }
    alerts
        .values()
        .forEach(
            alert -> {
              if (alert.state() != State.INACTIVE) {
                Alerts.addSamples(rule, own, alert, newest, written);
              }
            });
    return new RuleState(
        state.rule(),
        state.health(),
        state.lastError(),
        state.lastEvaluation(),
        state.durationNanos(),
        List.copyOf(alerts.values()),
        written.stream().map(DerivedSample::labels).toList());
  }

  /**
   * Returns true if a stored alert may be one of a rule: the labels that are no templates say so.
   */
  private boolean isOf(Rule.Alerting rule, Labels stored) {
    return stored.value(Alerts.NAME).equals(rule.name())
        && group.labels(rule).entrySet().stream()
            .allMatch(
                label ->
                    label.getValue().contains("{{")
                        || stored.value(label.getKey()).equals(label.getValue()));
  }

  /** An alert that fires although its series is gone; for how long it was gone is not stored. */
  private AlertInstance kept(Rule.Alerting rule, Labels stored, Series fires, long newest) {
    Labels labels = stored;
    for (var label : group.labels(rule).entrySet()) {
      if (label.getValue().contains("{{")
          && stored.value(label.getKey()).equals(label.getValue())) {
        // The template made nothing, and Prometheus stores its text.
        labels = labels.without(label.getKey());
      }
    }
    Series active = since.get(stored);
    long activeAt = active == null ? newest + offset : activeAt(active.values()[active.size() - 1]);
    return new AlertInstance(
        labels,
        new TreeMap<>(),
        State.FIRING,
        0,
        activeAt,
        firedAt(rule, activeAt, fires),
        0,
        newest + offset,
        0);
  }

  private AlertInstance known(
      Rule.Alerting rule, AlertInstance alert, Series active, Series fires, long newest) {
    long activeAt = activeAt(active.values()[active.size() - 1]);
    boolean isFiring = fires != null && last(fires) == newest;
    return new AlertInstance(
        alert.labels(),
        alert.annotations(),
        isFiring ? State.FIRING : State.PENDING,
        alert.value(),
        activeAt,
        isFiring ? firedAt(rule, activeAt, fires) : 0,
        0,
        0,
        0);
  }

  /** The slot of which the whole seconds are stored. */
  private long activeAt(double seconds) {
    long millis = (long) seconds * 1000;
    long slot = Slots.from(group, millis);
    return slot - millis < 1000 ? slot : millis;
  }

  /** The first slot of those up to now without a gap; by the rule, if they began before. */
  private long firedAt(Rule.Alerting rule, long activeAt, Series fires) {
    int first = fires.size() - 1;
    while (first > 0 && fires.times()[first] - fires.times()[first - 1] < 2 * group.interval()) {
      first--;
    }
    long seen = fires.times()[first] + offset;
    long due = Slots.from(group, activeAt + rule.forMillis());
    boolean fromTheBeginning = first == 0 && due < seen;
    return fromTheBeginning ? due : seen;
  }
}

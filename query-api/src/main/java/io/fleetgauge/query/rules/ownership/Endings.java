package io.fleetgauge.query.rules.ownership;

import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The series of groups that were removed while this query API evaluated them. As in Prometheus,
 * they end two intervals later, at the time of the removal, unless they go on: in a group that has
 * the rules now, or in the same group at a query API that still knows it and ends them in its turn.
 */
final class Endings {
  /** Queries do not look back further, so series need not be ended later, ms. */
  private static final long LONGEST_MILLIS = 300_000;

  private final List<Ending> waiting = new ArrayList<>();

  private record Ending(GroupState last, long removedAt, long due) {}

  /**
   * A group was removed.
   *
   * @param last its newest state
   * @param interval of the group, ms
   * @param steady now, ms of a clock that never goes back
   * @param wall now, ms since the epoch
   */
  void add(GroupState last, long interval, long steady, long wall) {
    // At the time of a sample, the sample would be seen.
    long removedAt = Math.max(wall, last.slot() + 1);
    waiting.add(new Ending(last, removedAt, steady + Math.min(2 * interval, LONGEST_MILLIS)));
  }

  /**
   * Ends the series whose time has come.
   *
   * @param isKnown true if another query API still knows a group
   * @param states of all groups that are known here
   */
  void end(
      long steady,
      Predicate<RuleGroup.Id> isKnown,
      Supplier<Collection<GroupState>> states,
      Consumer<? super Effect.End> effects) {
    List<Ending> due = waiting.stream().filter(each -> each.due() <= steady).toList();
    if (due.isEmpty()) {
      return;
    }
    waiting.removeAll(due);
    List<Effect.End> ends =
        due.stream()
            .filter(each -> !isKnown.test(each.last().group()))
            .map(
                each ->
                    new Effect.End(
                        each.last().group(), GroupEvaluation.ended(each.last(), each.removedAt())))
            .toList();
    Set<Labels> over = new HashSet<>();
    ends.forEach(each -> each.markers().forEach(marker -> over.add(marker.labels())));
    for (GroupState state : states.get()) {
      state.rules().forEach(rule -> rule.series().forEach(over::remove));
    }
    for (Effect.End each : ends) {
      List<DerivedSample> markers =
          each.markers().stream().filter(marker -> over.contains(marker.labels())).toList();
      if (!markers.isEmpty()) {
        effects.accept(new Effect.End(each.group(), markers));
      }
    }
  }
}

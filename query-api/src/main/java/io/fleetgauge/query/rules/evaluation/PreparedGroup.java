package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.query.rules.definition.RuleGroup;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The facts that follow from a group's definition alone. It is computed once for each definition,
 * because digest and order would cost more than many a slot.
 *
 * @param group by identity
 */
record PreparedGroup(RuleGroup group, String definition, List<RuleOrder.Round> rounds) {
  private static final int MAX_KEPT = 10_000;

  private static final Map<RuleGroup.Id, PreparedGroup> KEPT =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RuleGroup.Id, PreparedGroup> eldest) {
          return size() > MAX_KEPT;
        }
      };

  static PreparedGroup of(RuleGroup group) {
    synchronized (KEPT) {
      PreparedGroup kept = KEPT.get(group.id());
      if (kept != null && kept.group == group) {
        return kept;
      }
    }
    PreparedGroup prepared =
        new PreparedGroup(group, Digest.of(group), RuleOrder.of(group.rules()));
    synchronized (KEPT) {
      KEPT.put(group.id(), prepared);
    }
    return prepared;
  }
}

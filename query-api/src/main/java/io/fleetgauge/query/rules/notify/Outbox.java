package io.fleetgauge.query.rules.notify;

import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Notice;
import io.fleetgauge.sample.Labels;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The alerts of a group on their way to the notifier: of each only the newest state, and only as
 * long as the slots follow each other here. Once another query API has evaluated a slot, what is
 * left from before may contradict what it has told. One thread changes it; {@link #isCurrent} is
 * safe for all threads.
 */
public final class Outbox {
  private final Map<Labels, Notice> waiting = new LinkedHashMap<>();
  private long slot;
  private volatile long tenure = 1;
  private volatile boolean owned;

  /**
   * A slot has been evaluated.
   *
   * @param before the slot of the state that the evaluation began with; 0 for the first one
   */
  public void add(long before, long evaluated, List<Notice> alerts) {
    if (before != slot) {
      abandon();
    }
    slot = evaluated;
    alerts.forEach(alert -> waiting.put(alert.labels(), alert));
  }

  /** Takes the notices that are to be sent now. */
  public List<Notice> take() {
    owned = true;
    List<Notice> taken = List.copyOf(waiting.values());
    waiting.clear();
    return taken;
  }

  /** Nothing that waits, or was taken, is to be told any more. */
  public void abandon() {
    waiting.clear();
    tenure++;
  }

  /** Another query API owns the group; until the next alerts are taken, none is to be told. */
  public void disown() {
    owned = false;
  }

  /** Stays the same while each slot is evaluated here, from the state after the slot before. */
  public long tenure() {
    return tenure;
  }

  /** Returns true if what was taken in a tenure is still to be sent. */
  public boolean isCurrent(long of) {
    return owned && tenure == of;
  }
}

package io.fleetgauge.query.rules.ownership;

import io.fleetgauge.query.rules.evaluation.GroupState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** State of a group that this query API knows. */
final class Held {
  /** A group is slow when so many evaluations in a row took its interval or longer. */
  private static final int SLOW_EVALUATIONS = 3;

  private Dealt dealt;
  private GroupState written;
  private Optional<GroupState> evaluated = Optional.empty();
  private long begun;
  private long underWay;
  private long base;
  private boolean restoring;
  private long wantedFrom;
  private long retryAt;
  private long upTo;
  private long madeUpTo;
  private boolean postponed;
  private long behindSince;
  private int slowInARow;
  private Optional<Deal.Chosen> chosen = Optional.empty();

  /** Since when a state is wanted of a peer, and from when on it is not waited for. */
  private final Map<String, Long> wantedSince = new HashMap<>();

  Held(Dealt dealt) {
    this.dealt = dealt;
    this.written = new GroupState(dealt.id(), 0, "", List.of(), List.of());
  }

  Dealt dealt() {
    return dealt;
  }

  void dealt(Dealt now) {
    dealt = now;
  }

  /** The newest state whose samples are stored; of slot 0 if there is none. */
  GroupState written() {
    return written;
  }

  /** The newest state. */
  GroupState newest() {
    return evaluated.filter(state -> state.slot() > written.slot()).orElse(written);
  }

  /** The slot that is done; the next one is evaluated. */
  long done() {
    return Math.max(newest().slot(), begun);
  }

  /** Returns true if there is anything to go on from. */
  boolean isBegun() {
    return done() > 0;
  }

  /** The group begins: slots up to this one are not evaluated. */
  void begin(long slot) {
    begun = Math.max(begun, slot);
  }

  /** Takes a state, if it is newer. */
  boolean take(GroupState state) {
    if (state.slot() <= written.slot()) {
      return false;
    }
    written = state;
    return true;
  }

  void evaluated(GroupState state) {
    evaluated = Optional.of(state);
  }

  /** Drops what is not stored: it has to be evaluated again. */
  void abandon() {
    evaluated = Optional.empty();
    underWay = 0;
    restoring = false;
    wantedFrom = 0;
    retryAt = 0;
    slowInARow = 0;
    madeUpTo = 0;
    wantedSince.clear();
    interrupt();
  }

  /** Another query API may evaluate the group, or has done so. */
  void interrupt() {
    upTo = 0;
    behindSince = 0;
  }

  /** A slot could not be evaluated yet; others may come meanwhile. */
  void postponed() {
    postponed = true;
  }

  /**
   * An evaluation begins.
   *
   * @param newest the newest slot that has come
   */
  void begins(long slot, long newest) {
    if (evaluated.filter(state -> state.slot() == newest().slot()).isEmpty()) {
      interrupt(); // the state is another query API's
    }
    upTo = upTo == 0 || postponed && slot < newest ? newest : upTo;
    postponed = false;
    if (slowInARow == 0 && slot < newest - dealt.interval()) {
      madeUpTo = newest; // not because evaluations were slow
    }
  }

  /**
   * Time for which slots have been evaluated here after a later one had come, ms; 0 for the newest
   * slot, and for one that another query API may have evaluated.
   */
  long behind(long slot, boolean isNewest, long steady) {
    if (isNewest) {
      behindSince = 0;
      return 0;
    }
    behindSince = behindSince == 0 ? steady : behindSince;
    return slot > upTo ? steady - behindSince : 0;
  }

  /** An evaluation has taken so long, ms. While slots are made up for, this says little. */
  void took(long slot, long millis) {
    if (slot > madeUpTo) {
      slowInARow = millis < dealt.interval() ? 0 : slowInARow + 1;
    }
  }

  /**
   * Returns true if evaluations take longer than the interval, so that slots cannot be made up for.
   */
  boolean isSlow() {
    return slowInARow >= SLOW_EVALUATIONS;
  }

  /** The slot that is being evaluated; 0 if none is. */
  long underWay() {
    return underWay;
  }

  /** A slot is being evaluated, from the newest state on; 0 ends that. */
  void underWay(long slot) {
    underWay = slot;
    base = newest().slot();
  }

  /** The slot of the state that the evaluation began with. */
  long base() {
    return base;
  }

  /** Returns true if no newer state has come since the evaluation began. */
  boolean isStillNewest() {
    return base == newest().slot();
  }

  boolean isRestoring() {
    return restoring;
  }

  void restoring(boolean is) {
    restoring = is;
  }

  /**
   * When it was first tried to restore it. That may take long while gateways are replaced, and
   * slots that come meanwhile are not to be missed.
   *
   * @param now ms since the epoch
   */
  long wantedFrom(long now) {
    wantedFrom = wantedFrom == 0 ? now : wantedFrom;
    return wantedFrom;
  }

  long retryAt() {
    return retryAt;
  }

  void retryAt(long steady) {
    retryAt = steady;
  }

  Optional<Deal.Chosen> chosen() {
    return chosen;
  }

  void chosen(Optional<Deal.Chosen> now) {
    chosen = now;
  }

  boolean isOwner(String name) {
    return chosen.filter(each -> each.owner().equals(name)).isPresent();
  }

  boolean isShadow(String name) {
    return chosen.flatMap(Deal.Chosen::shadow).filter(name::equals).isPresent();
  }

  Map<String, Long> wantedSince() {
    return wantedSince;
  }
}

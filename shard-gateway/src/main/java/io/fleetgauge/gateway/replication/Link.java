package io.fleetgauge.gateway.replication;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The knowledge of {@link OwnerSide} about one replica. Times as there. */
final class Link {
  final String peer;
  final Deque<Long> behind = new ArrayDeque<>();
  long behindBytes;
  long session;
  long nextNumber = 1;
  boolean up;
  boolean synced;

  /** True if the table calls it synced. */
  boolean named;

  /** For how much longer bodies wait that it does not get, because it may still be read. */
  long tellMillis;

  /** Since when they wait. */
  long tellFrom;

  /** True if it is not read any more when it accepts a session of this owner. */
  boolean isOfAnotherOwner;

  /** True if it is no replica any more, and is asked only whether it knows. */
  boolean isFormer;

  /** Bodies of the delivery that has no answer yet; null when there is none. */
  List<Long> sent;

  long delivery;
  long sentAt;

  /** Time since the last answer, as far as this owner looked. */
  long silence;

  long retryAt;

  /** Requests since the last answer. */
  int unanswered;

  boolean isSlow;
  long laterSince;
  long laterPause;
  long againAt;

  Link(String peer) {
    this.peer = peer;
  }

  boolean isFull() {
    return behind.size() >= OwnerSide.MAX_BEHIND
        || behind.size() > 1 && behindBytes >= OwnerSide.MAX_BEHIND_BYTES;
  }

  List<Long> undelivered() {
    List<Long> bodies = new ArrayList<>(sent == null ? List.of() : sent);
    bodies.addAll(behind);
    return bodies;
  }

  /** When it is asked whether it is whole, or there. */
  long askAt() {
    return sentAt
        + (synced ? OwnerSide.ASK_WHETHER_THERE_MILLIS : OwnerSide.ASK_WHETHER_WHOLE_MILLIS);
  }

  void waitUntilTold(long now) {
    tellMillis = OwnerSide.TELL_MILLIS;
    tellFrom = now;
  }

  /**
   * Returns true if a body that it does not get has to wait: should this owner go, a replica that
   * was called synced, and is not yet called behind, would be taken for one that has all.
   */
  boolean isToBeTold() {
    return tellMillis > 0;
  }

  /** Returns true if the time ends now for which bodies wait. */
  boolean stopsWaiting(long lookedAt, long now) {
    if (tellMillis == 0) {
      return false;
    }
    tellMillis = Math.max(0, tellMillis - passed(lookedAt, tellFrom, now));
    return tellMillis == 0;
  }

  /**
   * The time since the last look that counts: while this gateway itself stood still, answers may
   * have come that it has not read.
   */
  static long passed(long lookedAt, long from, long now) {
    return Math.min(now - Math.max(lookedAt, from), OwnerSide.LONGEST_LOOK_MILLIS);
  }
}

package io.fleetgauge.gateway.replication;

import java.util.ArrayDeque;
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
}

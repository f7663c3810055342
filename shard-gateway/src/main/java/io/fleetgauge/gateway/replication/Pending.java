package io.fleetgauge.gateway.replication;

import java.util.Set;
import java.util.TreeSet;

/** The knowledge of {@link OwnerSide} about one body that was taken. Times as there. */
final class Pending {
  final long bytes;
  final long takenAt;

  /** Replicas that are to have it before it is acknowledged. */
  final Set<String> waiting = new TreeSet<>();

  /** Replicas that do not get it, which the table still calls synced. */
  final Set<String> untold = new TreeSet<>();

  /** Number of links that still have to send it. */
  int links;

  boolean settled;
  boolean copied;
  boolean written;
  boolean forcing;
  boolean forced;

  Pending(long bytes, long takenAt) {
    this.bytes = bytes;
    this.takenAt = takenAt;
  }
}

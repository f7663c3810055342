package io.fleetgauge.gateway;

/**
 * Decides when a gateway that has started is at home in its cluster, so that the next one may be
 * restarted: when every host has had all of its copies for a while. From then on it stays so,
 * because a gateway should not count as unfit when another one fails. Safe for all threads.
 */
final class ReplicaWatch {
  /** Longer than it takes until a table assigns hosts to a gateway that has joined. */
  static final long COMPLETE_MILLIS = 10_000;

  private String incomplete = "the gateway has not joined the cluster";
  private long since = Long.MIN_VALUE;
  private boolean done;

  /**
   * Looks at the copies.
   *
   * @param nowIncomplete which hosts lack copies; empty when none does
   * @param millis on a steady clock
   */
  synchronized void look(String nowIncomplete, long millis) {
    if (done) {
      return;
    }
    if (!nowIncomplete.isEmpty()) {
      incomplete = nowIncomplete;
      since = Long.MIN_VALUE;
      return;
    }
    if (since == Long.MIN_VALUE) {
      since = millis;
    }
    done = millis - since >= COMPLETE_MILLIS;
    incomplete =
        done
            ? ""
            : "all hosts are fully replicated, which must hold for "
                + COMPLETE_MILLIS / 1_000
                + " s";
  }

  /** Returns true if it was decided. */
  synchronized boolean isDone() {
    return done;
  }

  /** Why the next gateway should not be restarted yet; empty once it may be. */
  synchronized String incomplete() {
    return incomplete;
  }
}

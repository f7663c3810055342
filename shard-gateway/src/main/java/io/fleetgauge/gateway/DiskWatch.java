package io.fleetgauge.gateway;

import java.util.function.Consumer;

/**
 * Decides when a gateway whose disk fails gives its hosts away, and when it takes hosts again. Each
 * change moves hosts, so neither is done for a trouble that passes at once. A gateway that leaves
 * has given its hosts away, and nothing is changed any more. Safe for all threads.
 */
final class DiskWatch {
  /** A write that fails is tried again within this time. */
  static final long FAILING_MILLIS = 2_000;

  /** A disk that is full may fail again with the next write. */
  static final long WORKING_MILLIS = 10_000;

  private boolean takesHosts = true;
  private boolean failedBefore;
  private boolean isLeaving;
  private long since;

  /**
   * Looks at the disk.
   *
   * @param failing whether it has trouble
   * @param millis on a steady clock
   * @param change is given whether the gateway takes hosts from now on, before this returns; is not
   *     called if that stays as it is
   */
  synchronized void look(boolean failing, long millis, Consumer<Boolean> change) {
    if (isLeaving) {
      return;
    }
    if (failing != failedBefore) {
      failedBefore = failing;
      since = millis;
    }
    long lasting = millis - since;
    if (takesHosts == failing && lasting >= (failing ? FAILING_MILLIS : WORKING_MILLIS)) {
      takesHosts = !failing;
      change.accept(takesHosts);
    }
  }

  /** The gateway gives all hosts away and stops: it takes none again, whatever its disk does. */
  synchronized void leave() {
    isLeaving = true;
  }
}

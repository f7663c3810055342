package io.fleetgauge.gateway;

import java.util.Optional;

/**
 * Decides when a gateway whose disk fails gives its hosts away, and when it takes hosts again. Each
 * change moves hosts, so neither is done for a trouble that passes at once. One thread at a time.
 */
final class DiskWatch {
  /** A write that fails is tried again within this time. */
  static final long FAILING_MILLIS = 2_000;

  /** A disk that is full may fail again with the next write. */
  static final long WORKING_MILLIS = 10_000;

  private boolean takesHosts = true;
  private boolean failedBefore;
  private long since;

  /**
   * Looks at the disk.
   *
   * @param failing whether it has trouble
   * @param millis on a steady clock
   * @return whether the gateway takes hosts from now on; empty if that stays as it is
   */
  Optional<Boolean> look(boolean failing, long millis) {
    if (failing != failedBefore) {
      failedBefore = failing;
      since = millis;
    }
    long lasting = millis - since;
    if (takesHosts == failing && lasting >= (failing ? FAILING_MILLIS : WORKING_MILLIS)) {
      takesHosts = !failing;
      return Optional.of(takesHosts);
    }
    return Optional.empty();
  }
}

package io.fleetgauge.gateway.ingest.host;

import java.util.function.LongConsumer;

/**
 * The time at which something of one host is due, as far as its state says. Only the host's lane
 * thread uses it. Times in ms of {@link HostEnvironment#steadyMillis}.
 */
final class HostTimer {
  /** Nothing is due before something happens. */
  static final long NEVER = Long.MAX_VALUE;

  private final LongConsumer lane;
  private long dueAt = NEVER;

  /**
   * @param lane is told when something is due earlier than was said before
   */
  HostTimer(LongConsumer lane) {
    this.lane = lane;
  }

  /** Something is due at this time. */
  void dueBy(long time) {
    if (time < dueAt) {
      dueAt = time;
      lane.accept(time);
    }
  }

  /** Work that is due until now is done next; later work sets the timer again. */
  void reset() {
    dueAt = NEVER;
  }

  long dueAt() {
    return dueAt;
  }
}

package io.fleetgauge.gateway.ingest.host;

import java.util.function.LongConsumer;

/**
 * When something of one host is due, as far as its state says. Only the host's lane thread uses it.
 * Times in ms of {@link HostEnvironment#steadyMillis}.
 */
final class NextLook {
  /** Nothing is due before something happens. */
  static final long NEVER = Long.MAX_VALUE;

  private final LongConsumer lane;
  private long at = NEVER;

  /**
   * @param lane is told when something is due earlier than was said before
   */
  NextLook(LongConsumer lane) {
    this.lane = lane;
  }

  /** Something is due at this time. */
  void by(long time) {
    if (time < at) {
      at = time;
      lane.accept(time);
    }
  }

  /** Begins a look: work that is due until now is done next; later work is told again. */
  void begin() {
    at = NEVER;
  }

  long at() {
    return at;
  }
}

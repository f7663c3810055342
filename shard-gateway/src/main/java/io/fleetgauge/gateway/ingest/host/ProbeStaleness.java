package io.fleetgauge.gateway.ingest.host;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Decides which ticks the owner of a host writes itself while it hears nothing of the host's probe.
 * No clock of its own: it is told when it is looked at, by a clock that is never set, and what the
 * newest tick is, by the probe's clock. The two need not agree.
 */
final class ProbeStaleness {
  /** Time by which a tick of a probe may be late, ms; half a tick, if that is longer. */
  static final long GRACE_MILLIS = 2_000;

  /** Time for which the owner says that a silent probe is down, ms. */
  static final long SAID_MILLIS = TimeUnit.DAYS.toMillis(1);

  private static final long UNKNOWN = Long.MIN_VALUE;

  private long lastTick = UNKNOWN;
  private long heardAt;

  /** The last tick that was declared missing. */
  private long lastMissing;

  /** The probe lives: a body of it was turned away. */
  void attempted(long steadyMillis) {
    heardAt = steadyMillis;
  }

  /**
   * @param newest time of the newest tick, ms; synthetic ones after it do not count
   * @param tickMillis time between two ticks
   * @return the time up to which ticks count as missing, ms; empty if that is not two ticks after
   *     the newest one, or has been said before
   */
  OptionalLong timePassed(long newest, long tickMillis, long steadyMillis) {
    if (newest != lastTick) {
      lastTick = newest;
      heardAt = steadyMillis;
      lastMissing = newest + tickMillis;
      return OptionalLong.empty();
    }
    long silent = steadyMillis - heardAt - Math.max(GRACE_MILLIS, tickMillis / 2);
    long last = newest + silent / tickMillis * tickMillis;
    if (silent > SAID_MILLIS || last <= lastMissing) {
      return OptionalLong.empty();
    }
    lastMissing = last;
    return OptionalLong.of(last);
  }

  /** Returns true if a newest tick has been seen. */
  boolean isKnown() {
    return lastTick != UNKNOWN;
  }

  long lastTick() {
    return lastTick;
  }
}

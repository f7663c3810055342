package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.HostTicks;

/** How long one sign of one entity has been there. */
final class Spell {
  private static final long NONE = Long.MIN_VALUE;

  private long since = NONE;
  private long readAt = NONE;
  private Finding last;

  boolean isOn() {
    return since != NONE;
  }

  /** When the sign began, ms since the epoch. */
  long since() {
    return since;
  }

  /** The newest finding, which stands while the sign cannot be read; null for none. */
  Finding last() {
    return last;
  }

  void told(Finding finding) {
    last = finding;
  }

  void end() {
    since = NONE;
    last = null;
  }

  /**
   * Goes on with a tick.
   *
   * @param from when a sign that begins now has begun, ms since the epoch
   * @param after for how long it has to be read, ms
   * @return true if the sign has been there for long enough
   */
  boolean next(Sign sign, long from, long time, long after) {
    if (sign == Sign.ABSENT || sign == Sign.UNREAD && time - readAt > HostTicks.HOLD_MILLIS) {
      if (isOn()) {
        end();
      }
      return false;
    }
    if (sign == Sign.PRESENT) {
      since = isOn() ? since : from;
      readAt = time;
    }
    return isOn() && readAt - since >= after;
  }
}

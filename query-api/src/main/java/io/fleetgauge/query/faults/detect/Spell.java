package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.HostTicks;
import java.util.function.Consumer;

/** How long one sign of one entity has been there. */
final class Spell {
  private static final long NONE = Long.MIN_VALUE;

  private long since = NONE;
  private long readAt = NONE;

  /** The newest finding, which stands while the sign cannot be read; null for none. */
  private Finding last;

  boolean isOn() {
    return since != NONE;
  }

  /** When the sign began, ms since the epoch. */
  long since() {
    return since;
  }

  void tell(Finding finding, Consumer<Finding> out) {
    told(finding);
    out.accept(finding);
  }

  /** Keeps a finding that stands while the sign cannot be read. */
  void told(Finding finding) {
    last = finding;
  }

  /** The sign began at a time before the tick. */
  void resume(long began, long time) {
    since = began;
    readAt = time;
  }

  void end() {
    since = NONE;
    last = null;
  }

  /**
   * Goes on with a tick. While the sign cannot be read, the newest finding is told again.
   *
   * @param from when a sign that begins now has begun, ms since the epoch
   * @param after for how long it has to be read, ms
   * @return true if the sign is there, and has been for long enough to be told
   */
  boolean on(Sign sign, long from, long time, long after, Consumer<Finding> out) {
    if (sign == Sign.ABSENT || sign == Sign.UNREAD && time - readAt > HostTicks.HOLD_MILLIS) {
      if (isOn()) {
        end();
      }
      return false;
    }
    if (sign == Sign.PRESENT) {
      since = isOn() ? since : from;
      readAt = time;
      return readAt - since >= after;
    }
    if (last != null) {
      out.accept(last);
    }
    return false;
  }
}

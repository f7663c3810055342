package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.Readings;

/** Tells if a sign of a fault is there at a tick. */
enum Sign {
  PRESENT,
  ABSENT,
  /** It could not be read, which says neither. */
  UNREAD;

  /** Looks for a sign of a host, GPU, NVLink or port. */
  interface Check {
    /**
     * @param was true if it was there before
     */
    Sign at(Readings readings, boolean was);
  }

  static Sign of(double value, boolean isPresent) {
    return Double.isNaN(value) ? UNREAD : isPresent ? PRESENT : ABSENT;
  }

  static Sign both(Sign one, Sign other) {
    if (one == ABSENT || other == ABSENT) {
      return ABSENT;
    }
    return one == UNREAD || other == UNREAD ? UNREAD : PRESENT;
  }
}

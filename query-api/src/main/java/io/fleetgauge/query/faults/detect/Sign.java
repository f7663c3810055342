package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.Signal;

/** Tells if a sign of a fault is there at a tick. */
enum Sign {
  PRESENT,
  ABSENT,
  /** It could not be read, which says neither. */
  UNREAD;

  /** Looks for a sign of a GPU. */
  interface Check {
    /**
     * @param was true if it was there before
     */
    Sign at(GpuTick gpu, boolean was);

    /** Both signs at once. */
    default Check and(Check other) {
      return (gpu, was) -> both(at(gpu, was), other.at(gpu, was));
    }
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

  /** A value, or the rate of a counter, is above a limit. */
  static Check above(Signal signal, double limit) {
    return above(signal, limit, 0);
  }

  /**
   * As {@link #above(Signal, double)}.
   *
   * @param hysteresis by which it has to fall below the limit until the sign is gone
   */
  static Check above(Signal signal, double limit, double hysteresis) {
    return (gpu, was) -> {
      double value = read(gpu, signal);
      return of(value, value > (was ? limit - hysteresis : limit));
    };
  }

  /** A value is at least so much. */
  static Check atLeast(Signal signal, double limit) {
    return (gpu, was) -> of(gpu.get(signal), gpu.get(signal) >= limit);
  }

  /** A value is below a limit. */
  static Check below(Signal signal, double limit) {
    return (gpu, was) -> of(gpu.get(signal), gpu.get(signal) < limit);
  }

  /** A value is below another. */
  static Check below(Signal signal, Signal other) {
    return (gpu, was) ->
        both(of(gpu.get(signal), true), of(gpu.get(other), gpu.get(signal) < gpu.get(other)));
  }

  /** A value, or the rate of a counter. */
  static double read(GpuTick gpu, Signal signal) {
    return signal.form() == Signal.Form.INCREASE ? gpu.rate(signal) : gpu.get(signal);
  }
}

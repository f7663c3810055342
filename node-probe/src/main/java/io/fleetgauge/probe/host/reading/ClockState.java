package io.fleetgauge.probe.host.reading;

import jnr.ffi.Pointer;

/**
 * State of the kernel's clock, as adjtimex(2) says it, in the units of the kernel.
 *
 * @param result what the call returned
 */
public record ClockState(
    int result,
    long offset,
    long frequency,
    long maxError,
    long estimatedError,
    int status,
    long constant,
    long tick,
    long ppsFrequency,
    long jitter,
    int shift,
    long stability,
    long jitterCount,
    long calibrationCount,
    long errorCount,
    long stabilityCount,
    int tai) {
  /** {@link #result} of a clock that is not synchronised. */
  public static final int TIME_ERROR = 5;

  private static final int NANOSECONDS = 0x2000;

  /** Tells whether offset and jitter are in ns rather than in µs. */
  public boolean isInNanos() {
    return (status & NANOSECONDS) != 0;
  }

  /** The structure has words of 8 bytes; an int among them takes a word, but for the last. */
  static ClockState of(int result, Pointer timex) {
    return new ClockState(
        result,
        word(timex, 1),
        word(timex, 2),
        word(timex, 3),
        word(timex, 4),
        timex.getInt(40),
        word(timex, 6),
        // precision, tolerance, and the time of two words are not read
        word(timex, 11),
        word(timex, 12),
        word(timex, 13),
        timex.getInt(112),
        word(timex, 15),
        word(timex, 16),
        word(timex, 17),
        word(timex, 18),
        word(timex, 19),
        timex.getInt(160));
  }

  private static long word(Pointer timex, int index) {
    return timex.getLong((long) Long.BYTES * index);
  }
}

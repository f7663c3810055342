package io.fleetgauge.gateway.store.chunk;

import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Arrays;

/**
 * Values as integers divided by one power of ten, where that is what they are. Not for several
 * threads.
 */
final class Decimals {
  /** Readings have few digits; a value with more digits than this compresses like a random one. */
  static final int MAX_EXPONENT = 9;

  /** There is no exponent with which the values are integers. */
  static final int NO_EXPONENT = -1;

  static final int KIND_MARKER = 0;
  static final int KIND_OTHER = 1;

  /** One value in this many may be an exception, and at least two. */
  private static final int SAMPLES_AN_EXCEPTION = 8;

  /** Up to this number every integer is a double. */
  private static final double MAX_INTEGER = 9007199254740992.0;

  private static final double[] POWER = new double[MAX_EXPONENT + 1];

  static {
    POWER[0] = 1;
    for (int i = 1; i < POWER.length; i++) {
      POWER[i] = 10 * POWER[i - 1];
    }
  }

  /** The integers; one for each value. */
  long[] numbers = {};

  /** Places of values that are no integers: markers, NaN, infinities, negative zeros. */
  int[] exceptions = {};

  int exceptionCount;

  /** The power of ten with an exponent from 0 to 15. */
  static double power(int exponent) {
    return POWER[exponent];
  }

  /**
   * Finds the lowest exponent with which all values but a few are integers. An exception is
   * replaced by the integer before it, which takes no bits.
   *
   * @return the exponent; {@link #NO_EXPONENT} if there is none
   */
  int find(double[] values, int from, int count) {
    if (numbers.length < count) {
      int capacity = Math.max(Chunks.MAX_SAMPLES, count);
      numbers = new long[capacity];
      exceptions = new int[capacity];
    }
    int exponent = 0;
    while (true) {
      exceptionCount = 0;
      int i = 0;
      for (; i < count; i++) {
        double value = values[from + i];
        double scaled = value * POWER[exponent];
        double whole = Math.rint(scaled);
        if (whole / POWER[exponent] == value
            && Math.abs(whole) <= MAX_INTEGER
            && (whole != 0 || Double.doubleToRawLongBits(value) == 0)) {
          numbers[i] = (long) whole;
        } else if (value - value != 0 || value == 0) { // NaN, infinite, or negative zero
          exceptions[exceptionCount++] = i;
          if (exceptionCount > Math.max(2, count / SAMPLES_AN_EXCEPTION)) {
            return NO_EXPONENT;
          }
        } else {
          break;
        }
      }
      if (i == count) {
        fillExceptions(count);
        return exponent;
      }
      if (++exponent > MAX_EXPONENT) {
        return NO_EXPONENT;
      }
    }
  }

  private void fillExceptions(int count) {
    int first = 0;
    int next = 0;
    while (next < exceptionCount && exceptions[next] == first) {
      first++;
      next++;
    }
    long fill = first < count ? numbers[first] : 0;
    Arrays.fill(numbers, 0, first, fill);
    for (; next < exceptionCount; next++) {
      numbers[exceptions[next]] = numbers[exceptions[next] - 1];
    }
  }

  /** Writes the kind of an exception, and its bits if it is no staleness marker. */
  static void writeException(double value, WireWriter out) {
    if (Staleness.isMarker(value)) {
      out.u8(KIND_MARKER);
    } else {
      out.u8(KIND_OTHER).f64(value);
    }
  }
}

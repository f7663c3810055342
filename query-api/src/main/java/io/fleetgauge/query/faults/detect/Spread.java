package io.fleetgauge.query.faults.detect;

import java.util.Arrays;

/**
 * The middle of some numbers and how far they usually are from it, which a minority of wild ones
 * does not change.
 *
 * @param median {@code NaN} if there is no number
 * @param deviation median of the distances from the median, in units of a standard deviation
 */
record Spread(double median, double deviation) {
  /** Of normal numbers, the standard deviation is so many times the median distance. */
  private static final double NORMAL = 1.4826;

  /** Of numbers, of which {@code NaN} does not count. */
  static Spread of(double... numbers) {
    double[] known = Arrays.stream(numbers).filter(each -> !Double.isNaN(each)).toArray();
    double median = median(known);
    for (int i = 0; i < known.length; i++) {
      known[i] = Math.abs(known[i] - median);
    }
    return new Spread(median, NORMAL * median(known));
  }

  /** Sorts the numbers. */
  static double median(double[] numbers) {
    Arrays.sort(numbers);
    int n = numbers.length;
    return n == 0
        ? Double.NaN
        : n % 2 == 1 ? numbers[n / 2] : (numbers[n / 2 - 1] + numbers[n / 2]) / 2;
  }
}

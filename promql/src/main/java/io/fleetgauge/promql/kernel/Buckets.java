package io.fleetgauge.promql.kernel;

/**
 * Classic histograms at one step: upper bounds in ascending order and, for each, the number of
 * observations that are at most the bound. Methods use the first {@code size} of both.
 */
public final class Buckets {
  /** A relative decrease below this is a rounding error; it is repaired without an annotation. */
  private static final double ROUNDING = 1e-12;

  private static final double MIN_NORMAL = Double.MIN_NORMAL;

  private Buckets() {}

  /** Adds up the counts of equal bounds; returns the number of distinct bounds. */
  public static int coalesced(double[] bounds, double[] counts, int size) {
    int last = 0;
    for (int i = 1; i < size; i++) {
      if (bounds[i] == bounds[last]) {
        counts[last] += counts[i];
      } else {
        last++;
        bounds[last] = bounds[i];
        counts[last] = counts[i];
      }
    }
    return last + 1;
  }

  /** Raises each count to the one before it; returns whether any was lower beyond rounding. */
  public static boolean forceMonotonic(double[] counts, int size) {
    boolean forced = false;
    double previous = counts[0];
    for (int i = 1; i < size; i++) {
      double count = counts[i];
      if (count == previous) {
        continue;
      }
      if (isAlmost(previous, count)) {
        counts[i] = previous;
      } else if (count < previous) {
        counts[i] = previous;
        forced = true;
      } else {
        previous = count;
      }
    }
    return forced;
  }

  private static boolean isAlmost(double a, double b) {
    if (a != a && b != b) {
      return true;
    }
    double sum = Math.abs(a) + Math.abs(b);
    double difference = Math.abs(a - b);
    if (a == 0 || b == 0 || sum < MIN_NORMAL) {
      return difference < ROUNDING * MIN_NORMAL;
    }
    return difference / Math.min(sum, Double.MAX_VALUE) < ROUNDING;
  }

  /**
   * The q-quantile of the observations, interpolated linearly inside a bucket.
   *
   * @param q from 0 to 1
   * @param counts monotonic
   * @return NaN without a +Inf bucket, with fewer than two buckets, or without observations
   */
  public static double quantile(double q, double[] bounds, double[] counts, int size) {
    if (size < 2 || bounds[size - 1] != Double.POSITIVE_INFINITY) {
      return Double.NaN;
    }
    double observations = counts[size - 1];
    if (observations == 0) {
      return Double.NaN;
    }
    double rank = q * observations;
    int at = 0;
    int high = size - 1;
    while (at < high) {
      int middle = (at + high) >>> 1;
      if (counts[middle] >= rank) {
        high = middle;
      } else {
        at = middle + 1;
      }
    }
    if (at == size - 1) {
      return bounds[size - 2];
    }
    if (at == 0 && bounds[0] <= 0) {
      return bounds[0];
    }
    double start = at == 0 ? 0 : bounds[at - 1];
    double below = at == 0 ? 0 : counts[at - 1];
    return start + (bounds[at] - start) * ((rank - below) / (counts[at] - below));
  }

  /**
   * The fraction of the observations between two values, interpolated linearly inside a bucket.
   *
   * @return NaN without a +Inf bucket, without observations, or when a value lies in the bucket
   *     that begins at -Inf
   */
  public static double fraction(
      double lower, double upper, double[] bounds, double[] counts, int size) {
    double observations = counts[size - 1];
    if (bounds[size - 1] != Double.POSITIVE_INFINITY
        || observations == 0
        || lower != lower
        || upper != upper) {
      return Double.NaN;
    }
    if (lower >= upper) {
      return 0;
    }
    return (rank(upper, bounds, counts, size) - rank(lower, bounds, counts, size)) / observations;
  }

  /** The number of observations that are at most {@code value}. */
  private static double rank(double value, double[] bounds, double[] counts, int size) {
    double below = 0;
    for (int i = 0; i < size; i++) {
      double start = i == 0 ? Double.NEGATIVE_INFINITY : bounds[i - 1];
      if (start >= value) {
        return Math.min(below, counts[size - 1]);
      }
      if (bounds[i] > value) {
        double rank = below + (counts[i] - below) * (value - start) / (bounds[i] - start);
        return rank > counts[size - 1] ? counts[size - 1] : rank;
      }
      below = counts[i];
    }
    return counts[size - 1];
  }
}

package io.fleetgauge.promql.kernel;

/**
 * Functions over one window of one series. Every method uses the samples from {@code from},
 * inclusive, to {@code to}, exclusive: at least one, and no staleness marker.
 */
public final class Windows {
  private static final int FEW = 12;

  private Windows() {}

  /**
   * The rise of a counter in a window, extrapolated to the edges of the window as in Prometheus: to
   * the edge if it is near, else by half the mean interval of the samples, and never back to before
   * the counter was zero.
   *
   * @param times ms since the epoch
   * @param values a decrease is a counter reset
   * @param falls the result of {@link #falls}
   * @param windowStart ms, exclusive
   * @param windowEnd ms, inclusive
   * @return NaN with fewer than two samples (the caller leaves such a step empty)
   * @see <a href="https://github.com/prometheus/prometheus/blob/v3.5.3/promql/functions.go">
   *     extrapolatedRate</a>
   */
  public static double increase(
      long[] times,
      double[] values,
      int[] falls,
      int from,
      int to,
      long windowStart,
      long windowEnd) {
    if (to - from < 2) {
      return Double.NaN;
    }
    double rise = rise(values, falls, from, to);
    double zero = secondsSinceZero(rise, times, values, from, to);
    return rise * stretch(zero, times, from, to, windowStart, windowEnd);
  }

  /** Like {@link #increase}, per second of the whole window. */
  public static double rate(
      long[] times,
      double[] values,
      int[] falls,
      int from,
      int to,
      long windowStart,
      long windowEnd) {
    if (to - from < 2) {
      return Double.NaN;
    }
    double seconds = (windowEnd - windowStart) / 1000.0;
    double rise = rise(values, falls, from, to);
    double zero = secondsSinceZero(rise, times, values, from, to);
    return rise * (stretch(zero, times, from, to, windowStart, windowEnd) / seconds);
  }

  /**
   * Counts the resets of a counter, so that windows without one are computed from their first and
   * last samples.
   *
   * @param falls the number of decreases up to each sample, inclusive
   */
  public static void falls(double[] values, int size, int[] falls) {
    int count = 0;
    for (int i = 1; i < size; i++) {
      count += values[i] < values[i - 1] ? 1 : 0;
      falls[i] = count;
    }
  }

  private static double rise(double[] values, int[] falls, int from, int to) {
    double rise = values[to - 1] - values[from];
    if (falls[to - 1] == falls[from]) {
      return rise;
    }
    double previous = values[from];
    for (int i = from + 1; i < to; i++) {
      double value = values[i];
      if (value < previous) {
        rise += previous;
      }
      previous = value;
    }
    return rise;
  }

  /** The time before its first sample at which the counter was 0, at the rate of the window. */
  private static double secondsSinceZero(
      double rise, long[] times, double[] values, int from, int to) {
    return rise > 0 && values[from] >= 0
        ? (times[to - 1] - times[from]) / 1000.0 * (values[from] / rise)
        : Double.POSITIVE_INFINITY;
  }

  /**
   * The factor that extrapolates the time between the first and last sample to the window.
   *
   * @param secondsSinceZero the limit of the extrapolation towards the start
   */
  private static double stretch(
      double secondsSinceZero, long[] times, int from, int to, long windowStart, long windowEnd) {
    double sampled = (times[to - 1] - times[from]) / 1000.0;
    double mean = sampled / (to - from - 1);
    double threshold = mean * 1.1;
    double toStart = (times[from] - windowStart) / 1000.0;
    if (toStart >= threshold) {
      toStart = mean / 2;
    }
    if (secondsSinceZero < toStart) {
      toStart = secondsSinceZero;
    }
    double toEnd = (windowEnd - times[to - 1]) / 1000.0;
    if (toEnd >= threshold) {
      toEnd = mean / 2;
    }
    return (sampled + toStart + toEnd) / sampled;
  }

  /** The change of a gauge in a window, extrapolated to its edges; at least two samples. */
  public static double delta(
      long[] times, double[] values, int from, int to, long windowStart, long windowEnd) {
    double change = values[to - 1] - values[from];
    double never = Double.POSITIVE_INFINITY;
    return change * stretch(never, times, from, to, windowStart, windowEnd);
  }

  /** Per-second rate of a counter between the last two samples before {@code to}. */
  public static double lastRate(long[] times, double[] values, int to) {
    double last = values[to - 1];
    double before = values[to - 2];
    double rise = last < before ? last : last - before;
    return rise / ((times[to - 1] - times[to - 2]) / 1000.0);
  }

  /** The number of changes of the value; from NaN to NaN is no change. */
  public static double changes(double[] values, int from, int to) {
    int changes = 0;
    for (int i = from + 1; i < to; i++) {
      double value = values[i];
      double before = values[i - 1];
      if (value != before && (value == value || before == before)) {
        changes++;
      }
    }
    return changes;
  }

  /** The number of decreases of the value. */
  public static double resets(double[] values, int from, int to) {
    int resets = 0;
    for (int i = from + 1; i < to; i++) {
      if (values[i] < values[i - 1]) {
        resets++;
      }
    }
    return resets;
  }

  /** Per-second slope of the least-squares line through at least two samples. */
  public static double slope(long[] times, double[] values, int from, int to) {
    return line(times, values, from, to, times[from], Double.NaN);
  }

  /**
   * The least-squares line through at least two samples, {@code ahead} seconds after {@code now}.
   */
  public static double forecast(
      long[] times, double[] values, int from, int to, long now, double ahead) {
    return Double.isNaN(ahead) ? Double.NaN : line(times, values, from, to, now, ahead);
  }

  /** The line's slope when {@code at} is NaN, else its value {@code at} seconds after origin. */
  private static double line(
      long[] times, double[] values, int from, int to, long origin, double at) {
    double n = to - from;
    double sumX = 0;
    double carryX = 0;
    double sumY = 0;
    double carryY = 0;
    double sumXY = 0;
    double carryXY = 0;
    double sumXX = 0;
    double carryXX = 0;
    boolean flat = true;
    for (int i = from; i < to; i++) {
      double x = (times[i] - origin) / 1000.0;
      double y = values[i];
      flat &= i == from || y == values[from];
      double t = sumX + x;
      carryX = carry(carryX, sumX, x, t);
      sumX = t;
      t = sumY + y;
      carryY = carry(carryY, sumY, y, t);
      sumY = t;
      t = sumXY + x * y;
      carryXY = carry(carryXY, sumXY, x * y, t);
      sumXY = t;
      t = sumXX + x * x;
      carryXX = carry(carryXX, sumXX, x * x, t);
      sumXX = t;
    }
    if (flat) {
      // Added to a slope of 0, so that -0 becomes 0.
      return Double.isInfinite(values[from]) ? Double.NaN : at != at ? 0 : 0 * at + values[from];
    }
    sumX += carryX;
    sumY += carryY;
    sumXY += carryXY;
    sumXX += carryXX;
    double slope = (sumXY - sumX * sumY / n) / (sumXX - sumX * sumX / n);
    return at != at ? slope : slope * at + (sumY / n - slope * sumX / n);
  }

  /** The rounding error when {@code added} brings a sum from {@code sum} to {@code total}. */
  private static double carry(double carry, double sum, double added, double total) {
    if (Double.isInfinite(total)) {
      return 0;
    }
    return carry
        + (Math.abs(sum) >= Math.abs(added) ? (sum - total) + added : (added - total) + sum);
  }

  public static double sum(double[] values, int from, int to) {
    double sum = 0;
    double carry = 0;
    for (int i = from; i < to; i++) {
      double x = values[i];
      double t = sum + x;
      if (Double.isInfinite(t)) {
        carry = 0;
      } else if (Math.abs(sum) >= Math.abs(x)) {
        carry += (sum - t) + x;
      } else {
        carry += (x - t) + sum;
      }
      sum = t;
    }
    return sum + carry;
  }

  public static double avg(double[] values, int from, int to) {
    double sum = values[from];
    double carry = 0;
    boolean moving = false;
    int n = 1;
    for (int i = from + 1; i < to; i++) {
      double x = values[i];
      n++;
      if (!moving) {
        double t = sum + x;
        if (!Double.isInfinite(t)) {
          carry += Math.abs(sum) >= Math.abs(x) ? (sum - t) + x : (x - t) + sum;
          sum = t;
          continue;
        }
        moving = true;
        sum /= n - 1;
        carry /= n - 1;
      }
      double q = (n - 1.0) / n;
      sum *= q;
      carry *= q;
      x /= n;
      double t = sum + x;
      if (Double.isInfinite(t)) {
        carry = 0;
      } else {
        carry += Math.abs(sum) >= Math.abs(x) ? (sum - t) + x : (x - t) + sum;
      }
      sum = t;
    }
    return moving ? sum + carry : sum / n + carry / n;
  }

  /** Any number replaces NaN. */
  public static double min(double[] values, int from, int to) {
    double min = values[from];
    for (int i = from + 1; i < to; i++) {
      if (values[i] < min || min != min) {
        min = values[i];
      }
    }
    return min;
  }

  /** Any number replaces NaN. */
  public static double max(double[] values, int from, int to) {
    double max = values[from];
    for (int i = from + 1; i < to; i++) {
      if (values[i] > max || max != max) {
        max = values[i];
      }
    }
    return max;
  }

  /**
   * The population variance by Welford's method, its mean and its sum of squares compensated
   * (Welford, 1962, "Note on a method for calculating corrected sums of squares and products").
   */
  public static double variance(double[] values, int from, int to) {
    double mean = 0;
    double meanCarry = 0;
    double squares = 0;
    double squaresCarry = 0;
    for (int i = from; i < to; i++) {
      double x = values[i];
      double delta = x - (mean + meanCarry);
      double step = delta / (i - from + 1);
      double t = mean + step;
      if (Double.isInfinite(t)) {
        meanCarry = 0;
      } else if (Math.abs(mean) >= Math.abs(step)) {
        meanCarry += (mean - t) + step;
      } else {
        meanCarry += (step - t) + mean;
      }
      mean = t;
      double square = delta * (x - (mean + meanCarry));
      t = squares + square;
      if (Double.isInfinite(t)) {
        squaresCarry = 0;
      } else if (Math.abs(squares) >= Math.abs(square)) {
        squaresCarry += (squares - t) + square;
      } else {
        squaresCarry += (square - t) + squares;
      }
      squares = t;
    }
    return (squares + squaresCarry) / (to - from);
  }

  /**
   * The q-quantile, linear between neighbours; NaN counts as the lowest value.
   *
   * @param scratch at least {@code to - from} long; overwritten
   * @return -Inf for q below 0, +Inf for q above 1, NaN for NaN
   */
  public static double quantile(double q, double[] values, int from, int to, double[] scratch) {
    if (q != q) {
      return Double.NaN;
    }
    if (q < 0) {
      return Double.NEGATIVE_INFINITY;
    }
    if (q > 1) {
      return Double.POSITIVE_INFINITY;
    }
    int n = to - from;
    int size = 0;
    for (int i = from; i < to; i++) {
      if (values[i] != values[i]) {
        scratch[size++] = Double.NaN;
      }
    }
    int nans = size;
    for (int i = from; i < to; i++) {
      if (values[i] == values[i]) {
        scratch[size++] = values[i];
      }
    }
    return ranked(q, scratch, 0, nans, n);
  }

  /**
   * The median distance from the median.
   *
   * @param scratch at least twice {@code to - from} long; overwritten
   */
  public static double medianDeviation(double[] values, int from, int to, double[] scratch) {
    double median = quantile(0.5, values, from, to, scratch);
    int n = to - from;
    for (int i = 0; i < n; i++) {
      scratch[n + i] = Math.abs(values[from + i] - median);
    }
    int nans = n;
    for (int i = n; i < 2 * n; i++) {
      if (scratch[i] != scratch[i]) {
        double value = scratch[i];
        scratch[i] = scratch[nans];
        scratch[nans++] = value;
      }
    }
    return ranked(0.5, scratch, n, nans, 2 * n);
  }

  /** The quantile of values; those before {@code nans} are NaN. Reorders the others. */
  private static double ranked(double q, double[] values, int from, int nans, int to) {
    double rank = q * (to - from - 1);
    int lower = from + (int) Math.max(0, Math.floor(rank));
    int upper = Math.min(to - 1, lower + 1);
    double weight = rank - Math.floor(rank);
    if (lower < nans) {
      return Double.NaN;
    }
    if (to - nans <= FEW) {
      sortFew(values, nans, to);
      return values[lower] * (1 - weight) + values[upper] * weight;
    }
    Ranks.find(values, nans, to, lower);
    double next = values[upper];
    for (int i = upper + 1; i < to; i++) {
      next = Math.min(next, values[i]);
    }
    return values[lower] * (1 - weight) + next * weight;
  }

  /**
   * Double exponential smoothing (Holt's linear method): a level and a trend, each updated from the
   * newest sample. At least two samples.
   *
   * @param smoothing the smoothing factor of the level, between 0 and 1
   * @param trending the smoothing factor of the trend, between 0 and 1
   */
  public static double smoothed(
      double[] values, int from, int to, double smoothing, double trending) {
    double before = 0;
    double level = values[from];
    double trend = values[from + 1] - values[from];
    for (int i = from + 1; i < to; i++) {
      if (i > from + 1) {
        trend = trending * (level - before) + (1 - trending) * trend;
      }
      double next = smoothing * values[i] + (1 - smoothing) * (level + trend);
      before = level;
      level = next;
    }
    return level;
  }

  /** The index of the largest value, the last of equal ones; any number replaces NaN. */
  public static int indexOfMax(double[] values, int from, int to) {
    int max = from;
    for (int i = from + 1; i < to; i++) {
      if (values[i] >= values[max] || values[max] != values[max]) {
        max = i;
      }
    }
    return max;
  }

  /** The index of the smallest value, the last of equal ones; any number replaces NaN. */
  public static int indexOfMin(double[] values, int from, int to) {
    int min = from;
    for (int i = from + 1; i < to; i++) {
      if (values[i] <= values[min] || values[min] != values[min]) {
        min = i;
      }
    }
    return min;
  }

  /**
   * Insertion sort, ascending. It keeps the order of 0 and -0, as Go's sort does for up to twelve
   * values; beyond that, Go's order of the two zeros is arbitrary.
   */
  private static void sortFew(double[] values, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      double value = values[i];
      int j = i;
      while (j > from && values[j - 1] > value) {
        values[j] = values[j - 1];
        j--;
      }
      values[j] = value;
    }
  }
}

package io.fleetgauge.gateway.store.block;

/**
 * Count, minimum, maximum and sum of the numbers in a record of a block. One thread at a time.
 *
 * <p>Sums are compensated (Neumaier), so that the sums of parts add up to the sum of the whole.
 */
public final class Summary {
  private long count;
  private double min = Double.NaN;
  private double max = Double.NaN;
  private double sum;
  private double carry;

  /** How many numbers there are; staleness markers do not count. */
  public long count() {
    return count;
  }

  /** The smallest number; NaN if all are NaN. */
  public double min() {
    return min;
  }

  /** The largest number; NaN if all are NaN. */
  public double max() {
    return max;
  }

  public double sum() {
    return sum + carry;
  }

  public double sumWithoutCarry() {
    return sum;
  }

  public double carry() {
    return carry;
  }

  public void add(double value) {
    count++;
    limit(value, value);
    addToSum(value);
  }

  private void limit(double low, double high) {
    if (low < min || Double.isNaN(min)) {
      min = low;
    }
    if (high > max || Double.isNaN(max)) {
      max = high;
    }
  }

  private void addToSum(double value) {
    double total = sum + value;
    if (Double.isInfinite(total)) {
      carry = 0;
    } else if (Math.abs(sum) >= Math.abs(value)) {
      carry += (sum - total) + value;
    } else {
      carry += (value - total) + sum;
    }
    sum = total;
  }
}

package io.fleetgauge.gateway.store.block;

/**
 * What functions over time need of a stretch of numbers, without the numbers. Not for several
 * threads.
 *
 * <p>Sums are Neumaier's, so that the sum of a stretch in parts is that of the whole.
 */
public final class Summary {
  private long count;
  private double min = Double.NaN;
  private double max = Double.NaN;
  private double sum;
  private double carry;

  /** How many numbers there are; markers are none. */
  public long count() {
    return count;
  }

  /** The smallest; NaN when there is none but NaN. */
  public double min() {
    return min;
  }

  /** The largest; NaN when there is none but NaN. */
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

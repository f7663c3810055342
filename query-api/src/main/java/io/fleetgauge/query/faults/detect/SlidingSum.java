package io.fleetgauge.query.faults.detect;

/** Counts of a last while, in parts of it, so that it is the same however often it is read. */
final class SlidingSum {
  private final long part;

  /** Empty until something is counted. */
  private double[] sums = {};

  private long[] indexes = {};
  private final int parts;

  /**
   * @param length of the while, ms
   * @param parts in which it moves on
   */
  SlidingSum(long length, int parts) {
    part = Math.max(1, length / parts);
    this.parts = parts;
  }

  /**
   * @param count nothing is done if it is not above 0
   */
  void add(long time, double count) {
    if (!(count > 0)) {
      return;
    }
    if (sums.length == 0) {
      sums = new double[parts];
      indexes = new long[parts];
    }
    long index = Math.floorDiv(time, part);
    int at = Math.floorMod(index, sums.length);
    if (indexes[at] != index) {
      indexes[at] = index;
      sums[at] = 0;
    }
    sums[at] += count;
  }

  /** The count of the last while. */
  double at(long time) {
    long index = Math.floorDiv(time, part);
    double sum = 0;
    for (int i = 0; i < sums.length; i++) {
      sum += index - indexes[i] < sums.length ? sums[i] : 0;
    }
    return sum;
  }

  /** When the first that is counted was counted, to a part; the time itself for none. */
  long since(long time) {
    long index = Math.floorDiv(time, part);
    long since = time;
    for (int i = 0; i < sums.length; i++) {
      if (index - indexes[i] < sums.length && sums[i] > 0) {
        since = Math.min(since, indexes[i] * part);
      }
    }
    return since;
  }
}

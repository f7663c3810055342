package io.fleetgauge.promql.query;

/**
 * The part of a selection that a query reads, and how often.
 *
 * @param selection what is read of each series
 * @param looks how often a single sample of a series is looked at: once at each step
 * @param windowMillis the length of all windows of a series together, each as often as its samples
 *     are read: a window of 3 h that is read at 1,000 steps counts 3,000 h
 */
public record SamplesRead(Selection selection, double looks, double windowMillis) {
  /** A read of samples that gateways count usage from, of which no step sees any. */
  public static SamplesRead ofUsage(Selection selection) {
    return new SamplesRead(selection, 0, 0);
  }

  /** Returns true if gateways count usage from the samples. */
  public boolean isOfUsage() {
    return looks == 0 && windowMillis == 0;
  }

  /**
   * About how many samples are read, those that are read at several steps at each of them.
   *
   * @param series how many series match
   * @param perMilli how many samples all of them have in a millisecond
   */
  public double samples(long series, double perMilli) {
    double stored = perMilli * Math.max(0, (double) selection.to() - selection.from());
    return Math.max(stored, series * looks + perMilli * windowMillis);
  }
}

package io.fleetgauge.sample;

/**
 * Which of two samples of one series and one time counts. A gateway that hears nothing of a host
 * writes what it has to suppose: a marker that ends the series, and 0 for {@code up}. When the true
 * sample comes after all, it counts, in whatever order and at whichever gateway they arrive. Of
 * other samples that differ, the first one counts.
 */
public final class SameTime {
  private static final String UP = "up";

  private SameTime() {}

  /** Returns true if a sample takes the place of one that is there. */
  public static boolean replaces(
      Labels series, double there, Histogram thereToo, double value, Histogram histogram) {
    boolean isMarker = histogram == null && Staleness.isMarker(value);
    if (thereToo == null && Staleness.isMarker(there)) {
      return !isMarker;
    }
    return there == 0
        && value == 1
        && thereToo == null
        && histogram == null
        && series.metric().equals(UP);
  }

  /** Returns true if a sample is only what would be supposed without the one that is there. */
  public static boolean isImplied(
      Labels series, double there, Histogram thereToo, double value, Histogram histogram) {
    return replaces(series, value, histogram, there, thereToo);
  }
}

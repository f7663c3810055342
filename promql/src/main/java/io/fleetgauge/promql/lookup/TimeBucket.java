package io.fleetgauge.promql.lookup;

/**
 * Time in pieces of five seconds, in which gateways tell what has changed: bucket n is (5 s n, 5 s
 * (n + 1)], open as windows are.
 */
public final class TimeBucket {
  public static final long MILLIS = 5_000;

  private TimeBucket() {}

  /** The bucket that a sample's time is in, ms. */
  public static long of(long time) {
    return Math.floorDiv(time - 1, MILLIS);
  }
}

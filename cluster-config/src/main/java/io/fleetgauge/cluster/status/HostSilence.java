package io.fleetgauge.cluster.status;

/** Decides whether a host is silent. */
public final class HostSilence {
  /** A host is silent when it has missed this many ticks. */
  private static final int MISSED_TICKS = 4;

  private static final long MIN_MILLIS = 30_000;

  private HostSilence() {}

  /**
   * @param newest time of its newest sample, ms since the epoch
   * @param tickMillis usual time between two of its ticks
   * @param now ms since the epoch
   */
  public static boolean isUp(long newest, long tickMillis, long now) {
    return now - newest <= Math.max(MIN_MILLIS, MISSED_TICKS * tickMillis);
  }
}

package io.fleetgauge.sample.frame;

/** Hosts that have stopped sending. */
public final class SilentHosts {
  /** Nobody waits for hosts that are so far behind the others, ms; mostly for a shorter time. */
  public static final long MOST_MILLIS = 300_000;

  private SilentHosts() {}
}

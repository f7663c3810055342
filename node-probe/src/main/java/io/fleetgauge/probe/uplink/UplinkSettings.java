package io.fleetgauge.probe.uplink;

import java.time.Duration;

/**
 * Limits of the queue of unacknowledged ticks.
 *
 * @param memory period that is kept in memory; older ticks are on disk only, or are dropped without
 *     one
 * @param maxBytes most bytes in memory
 * @param retention ticks older than this, compared to the newest, are dropped
 * @param maxDiskBytes most bytes on disk; above it the oldest are dropped
 */
public record UplinkSettings(
    Duration memory, long maxBytes, Duration retention, long maxDiskBytes) {
  /** The defaults of the configuration. */
  public static final UplinkSettings DEFAULT =
      new UplinkSettings(Duration.ofMinutes(15), 12L << 20, Duration.ofHours(6), 1L << 30);
}

package io.fleetgauge.probe.uplink;

import java.time.Duration;

/**
 * How much an uplink keeps of what is not acknowledged.
 *
 * @param memory how much time of it is in memory; what is older lies on the disk only, or is
 *     dropped when there is none
 * @param maxBytes most bytes of it in memory
 * @param retention what is older than this when a newer tick is read is dropped
 * @param maxDiskBytes most bytes of it on the disk; above it the oldest go
 */
public record UplinkSettings(
    Duration memory, long maxBytes, Duration retention, long maxDiskBytes) {
  /** As the README's table of configuration says. */
  public static final UplinkSettings DEFAULT =
      new UplinkSettings(Duration.ofMinutes(15), 64L << 20, Duration.ofHours(6), 1L << 30);
}

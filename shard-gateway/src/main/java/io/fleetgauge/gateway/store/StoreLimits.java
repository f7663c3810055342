package io.fleetgauge.gateway.store;

import java.time.Duration;

/**
 * Bounds of a store.
 *
 * @param retention how long samples are kept
 * @param maxBlockBytes most bytes of blocks on disk; above it the oldest go
 * @param memoryTime how long samples stay in memory before a block takes them; a block has half of
 *     that
 * @param outOfOrder how far behind the host's newest sample a sample may be; at most half of {@code
 *     memoryTime}
 * @param future how far ahead of the clock a sample may be
 * @param maxSeriesPerHost most series of one host
 * @param maxSeriesPerTenant most series of one tenant on this gateway
 * @param maxSeries most series of this gateway
 */
public record StoreLimits(
    Duration retention,
    long maxBlockBytes,
    Duration memoryTime,
    Duration outOfOrder,
    Duration future,
    int maxSeriesPerHost,
    int maxSeriesPerTenant,
    int maxSeries) {
  /** As Prometheus has it: ten minutes. */
  public static final Duration DEFAULT_FUTURE = Duration.ofMinutes(10);

  public StoreLimits {
    if (outOfOrder.toMillis() > memoryTime.toMillis() / 2) {
      throw new IllegalArgumentException(
          "samples may be " + outOfOrder + " late, but memory has only " + memoryTime);
    }
  }

  long blockMillis() {
    return memoryTime.toMillis() / 2;
  }
}

package io.fleetgauge.gateway.store;

import java.time.Duration;

/**
 * Limits of a store.
 *
 * @param retention how long samples are stored
 * @param maxBlockBytes maximum bytes of blocks on disk; above it the oldest blocks are removed
 * @param memoryTime how long samples stay in memory before they move to a block; a block covers
 *     half of it
 * @param outOfOrder how far behind the host's newest sample a sample may be; at most half of {@code
 *     memoryTime}
 * @param future how far ahead of the clock a sample may be
 * @param maxSeriesPerHost maximum number of series of one host
 * @param maxSeriesPerTenant maximum number of series of one tenant on this gateway
 * @param maxSeries maximum number of series on this gateway
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
  /** The value of Prometheus: ten minutes. */
  public static final Duration DEFAULT_FUTURE = Duration.ofMinutes(10);

  public StoreLimits {
    if (outOfOrder.toMillis() > memoryTime.toMillis() / 2) {
      throw new IllegalArgumentException(
          "store.outOfOrder is "
              + outOfOrder
              + "; it must be at most half of store.memory, which is "
              + memoryTime);
    }
  }

  /**
   * Samples before this time have expired, ms; {@link Long#MIN_VALUE} if every time is allowed.
   *
   * @param latest the latest time that is accepted, ms since the epoch: {@link #future} from now;
   *     {@link Long#MAX_VALUE} if every time is allowed
   */
  long expiredBefore(long latest) {
    return latest == Long.MAX_VALUE
        ? Long.MIN_VALUE
        : latest - future.toMillis() - retention.toMillis();
  }

  long blockMillis() {
    return memoryTime.toMillis() / 2;
  }
}

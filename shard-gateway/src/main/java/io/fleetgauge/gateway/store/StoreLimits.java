package io.fleetgauge.gateway.store;

import java.time.Duration;

/**
 * Bounds of a store.
 *
 * @param retention how long samples are kept
 * @param maxSeriesPerHost most series of one host
 * @param future how far ahead of the clock a sample may be
 */
public record StoreLimits(Duration retention, int maxSeriesPerHost, Duration future) {
  /** As Prometheus has it: ten minutes. */
  public static final Duration DEFAULT_FUTURE = Duration.ofMinutes(10);
}

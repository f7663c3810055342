package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.syntax.Expr;

/**
 * What is asked, and for which times. Times in ms since the epoch, lengths in ms.
 *
 * @param text the text that {@code expr} was parsed from; positions in messages refer to it
 * @param start first step
 * @param end last step at the most
 * @param step distance of steps; 0 for an instant query, where start and end are equal
 * @param lookback how old a sample an instant selector may take
 * @param maxSamples most samples that may be in memory at once
 */
public record Query(
    String text, Expr expr, long start, long end, long step, long lookback, long maxSamples) {
  /** Prometheus's default lookback: 5 minutes. */
  public static final long DEFAULT_LOOKBACK = 300_000;

  /** Prometheus's default limit of samples in one query. */
  public static final long DEFAULT_MAX_SAMPLES = 50_000_000;

  public boolean isInstant() {
    return step == 0;
  }

  public int steps() {
    return isInstant() ? 1 : (int) ((end - start) / step) + 1;
  }

  public long time(int index) {
    return start + index * step;
  }
}

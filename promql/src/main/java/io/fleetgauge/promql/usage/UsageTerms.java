package io.fleetgauge.promql.usage;

/**
 * The terms by which usage is counted. Shares are in millionths.
 *
 * @param lookback longest time that a sample stands, ms
 * @param bridge longest gap between two samples of one owner that is still the owner's time, of the
 *     class unknown, ms
 * @param busy least activity of a busy device
 * @param highPower least power of an execution-idle device, as a share of its limit
 */
public record UsageTerms(long lookback, long bridge, int busy, int highPower) {
  public static final int WHOLE = 1_000_000;

  /**
   * Activity of 5 %; and 16 % of the limit, which lies between a GPU without a process (10 to 14 %)
   * and one whose process keeps its clocks up and computes nothing (17 % of an H200's 700 W).
   */
  public static final UsageTerms DEFAULT = new UsageTerms(300_000, 3_600_000, 50_000, 160_000);
}

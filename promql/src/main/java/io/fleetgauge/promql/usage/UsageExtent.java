package io.fleetgauge.promql.usage;

/**
 * About as much as usage is read of.
 *
 * @param series that match, where samples are read
 * @param samples of these series
 * @param bytes of kept days and months
 */
public record UsageExtent(long series, long samples, long bytes) {
  public static final UsageExtent NONE = new UsageExtent(0, 0, 0);

  public UsageExtent plus(UsageExtent more) {
    return new UsageExtent(series + more.series, samples + more.samples, bytes + more.bytes);
  }
}

package io.fleetgauge.promql.fair;

/**
 * The tenant of a piece of work, and its size.
 *
 * @param tenant the tenant that asked
 * @param weight its share when tenants wait for each other
 * @param work about how many samples are read, each as often as it is read
 */
public record Load(String tenant, int weight, long work) {
  /** The load of requests that a process makes for itself; they are small. */
  public static final Load OWN = new Load("", 1, 1);

  /** Above this, work is heavy: a processor is busy with it for some hundred milliseconds. */
  private static final long HEAVY_WORK = 3_000_000;

  /** The work for the samples of a rollup's cell, divided by that for the cell. */
  public static final long ROLLUP_GAIN = 20;

  /**
   * The work for a sample that is evaluated, divided by that for one that usage is counted from.
   */
  public static final long USAGE_GAIN = 10;

  /** Returns true if so much work must not keep light work waiting. */
  public static boolean isHeavy(long work) {
    return work > HEAVY_WORK;
  }

  public boolean isHeavy() {
    return isHeavy(work);
  }

  /** The same where rollups were expected to serve, and samples have to be read. */
  public Load withoutRollups() {
    return new Load(tenant, weight, withoutRollups(work));
  }

  /** Work that rollups were expected to serve, when samples have to be read. */
  public static long withoutRollups(long work) {
    return work > Long.MAX_VALUE / ROLLUP_GAIN ? Long.MAX_VALUE : work * ROLLUP_GAIN;
  }
}

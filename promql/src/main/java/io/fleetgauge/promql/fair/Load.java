package io.fleetgauge.promql.fair;

/**
 * Whose work it is, and how much.
 *
 * @param tenant the tenant that asked
 * @param weight its share when tenants wait for each other
 * @param work about how many samples are read, each as often as it is read
 */
public record Load(String tenant, int weight, long work) {
  /** Of requests that a process makes for itself; they are small. */
  public static final Load OWN = new Load("", 1, 1);

  /** Above this, work is heavy: a processor is busy with it for some hundred milliseconds. */
  private static final long HEAVY_WORK = 3_000_000;

  /** Whether so much work must not keep light work waiting. */
  public static boolean isHeavy(long work) {
    return work > HEAVY_WORK;
  }

  public boolean isHeavy() {
    return isHeavy(work);
  }
}

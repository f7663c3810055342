package io.fleetgauge.load.nodes.driver;

/**
 * The work of a GPU.
 *
 * @param intensity 0 for nothing, at most 1
 * @param memory share of the memory that is used, 0 to 1
 * @param linked whether GPUs exchange data over NVLink
 */
public record Work(double intensity, double memory, boolean linked) {
  public static final Work NONE = new Work(0, 0, false);

  public boolean isAny() {
    return intensity > 0;
  }
}

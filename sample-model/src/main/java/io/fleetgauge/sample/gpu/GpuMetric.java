package io.fleetgauge.sample.gpu;

import java.util.Set;

/**
 * One metric of GPUs.
 *
 * @param type counter, gauge or histogram, as its values are
 * @param unit such as watts or bytes/s; empty when it has none
 * @param help one sentence
 * @param entities what its series are of
 * @param dcgmType the type that dcgm-exporter declares; empty when its list of counters lacks it
 * @param inDcgmDefault whether dcgm-exporter shows it without further configuration
 */
public record GpuMetric(
    String name,
    String type,
    String unit,
    String help,
    Tier tier,
    Set<Entity> entities,
    String dcgmType,
    boolean inDcgmDefault) {

  /** The kind of device that a series belongs to. */
  public enum Entity {
    /** A GPU. */
    GPU,
    /** A GPU instance of a GPU with MIG. */
    MIG,
    /** One NVLink of a GPU. */
    LINK,
    /** The reading itself. */
    PROBE
  }

  public boolean isCounter() {
    return type.equals("counter");
  }
}

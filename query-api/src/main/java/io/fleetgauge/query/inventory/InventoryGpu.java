package io.fleetgauge.query.inventory;

import java.util.List;

/**
 * A GPU.
 *
 * @param index its number on its host
 * @param domain the NVLink domain that it is registered with; empty for none
 * @param isPresent true if its probe reads it now
 * @param faults kinds of its open critical faults, sorted
 */
public record InventoryGpu(
    String uuid,
    String index,
    String model,
    String domain,
    boolean isPresent,
    LinkCount links,
    List<String> faults) {
  public InventoryGpu {
    faults = List.copyOf(faults);
  }
}

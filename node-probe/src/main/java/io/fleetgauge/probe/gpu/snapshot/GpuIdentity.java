package io.fleetgauge.probe.gpu.snapshot;

import io.fleetgauge.sample.Labels;
import java.util.List;

/**
 * One GPU as schedulers name it. Immutable.
 *
 * @param labels gpu, UUID, device, modelName, pci_bus_id
 * @param minor number of its device file; -1 when the driver does not tell
 * @param instances its MIG devices; several may be in one GPU instance
 */
public record GpuIdentity(Labels labels, int minor, List<Instance> instances) {
  /**
   * A MIG device.
   *
   * @param labels those of its GPU, GPU_I_ID and GPU_I_PROFILE
   * @param uuid as the driver names it, {@code MIG-} and so on; empty when it has none
   */
  public record Instance(Labels labels, String uuid) {}

  public String uuid() {
    return labels.value("UUID");
  }
}

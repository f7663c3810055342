package io.fleetgauge.probe.faults;

import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The readings before and after a fault.
 *
 * @param id letters, digits, {@code _} and {@code -}
 * @param faults the one that it began with, and those that followed until its end; at least one
 */
public record FaultWindow(String id, List<GpuFault> faults, Window readings) {
  public GpuFault first() {
    return faults.getFirst();
  }

  /**
   * The series that are sent to the gateway: those of the GPUs with a fault and of the host; all of
   * them when a fault is of the driver as a whole.
   */
  boolean isSent(Labels series) {
    Set<String> gpus = faults.stream().map(GpuFault::uuid).collect(Collectors.toSet());
    String uuid = series.value("UUID");
    return uuid.isEmpty() || gpus.contains("") || gpus.contains(uuid);
  }
}

package io.fleetgauge.probe.gpu.snapshot;

import io.fleetgauge.sample.Labels;
import java.util.List;

/**
 * The processes that use a GPU or a GPU instance, each once. Immutable.
 *
 * @param labels of the GPU, and GPU_I_ID and GPU_I_PROFILE of an instance
 */
public record GpuProcesses(Labels labels, List<GpuProcess> processes) {
  public GpuProcesses {
    processes = List.copyOf(processes);
  }
}

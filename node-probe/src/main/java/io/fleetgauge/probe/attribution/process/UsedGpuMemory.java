package io.fleetgauge.probe.attribution.process;

import io.fleetgauge.probe.gpu.snapshot.GpuProcess;
import io.fleetgauge.probe.gpu.snapshot.GpuProcesses;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.GpuMetrics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * GPU memory by container as the exporter of that name shows it: one metric, and these labels only.
 */
final class UsedGpuMemory {
  /** The unit of the values; the exporter says bits. */
  static final String UNIT = "bytes";

  /** States of the node's GPUs, by the numbers of the exporter. */
  enum Status {
    USED(0),
    /** The driver cannot be read. */
    FAILED(100),
    /** No process uses a GPU: nothing is wrong. */
    IDLE(101);

    final int code;

    Status(int code) {
      this.code = code;
    }

    /**
     * @param gpus empty while the driver does not answer
     */
    static Status of(Optional<List<GpuProcesses>> gpus) {
      if (gpus.isEmpty() || gpus.get().isEmpty()) {
        return FAILED;
      }
      boolean isIdle = gpus.get().stream().allMatch(each -> each.processes().isEmpty());
      return isIdle ? IDLE : USED;
    }
  }

  private UsedGpuMemory() {}

  /**
   * @param gpus none while the driver does not answer
   */
  static Tick of(Optional<List<GpuProcesses>> gpus, Map<Integer, OwnedProcess> byPid) {
    Map<Labels, Double> values = new TreeMap<>();
    for (GpuProcesses gpu : gpus.orElse(List.of())) {
      for (GpuProcess process : gpu.processes()) {
        OwnedProcess of = byPid.get(process.pid());
        if (of != null && process.memoryBytes().isPresent()) {
          // In two instances of a GPU it is one process.
          values.merge(
              labels(gpu.labels().value("gpu"), of),
              (double) process.memoryBytes().getAsLong(),
              Double::sum);
        }
      }
    }
    Tick.Builder out = new Tick.Builder();
    values.forEach(out::add);
    out.add(
        Labels.of(Labels.NAME, GpuMetrics.of("used_gpu_memory_status").name()),
        Status.of(gpus).code);
    return out.at(0);
  }

  private static Labels labels(String gpu, OwnedProcess of) {
    return Labels.of(
        Labels.NAME,
        GpuMetrics.of("used_gpu_memory").name(),
        "container_name",
        ProcessSeries.containerName(of),
        "gpu",
        gpu,
        "pid",
        Integer.toString(of.pid()),
        "container_id",
        OwnedProcess.shortId(of.container()),
        "unit",
        UNIT);
  }
}

package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.nvml.Device;
import io.fleetgauge.probe.nvml.NativeMemory;
import io.fleetgauge.probe.nvml.Nvml;
import io.fleetgauge.probe.nvml.NvmlCall;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuMetric;
import io.fleetgauge.sample.gpu.GpuMetrics;
import io.fleetgauge.sample.gpu.Tier;
import java.util.List;

/** How many processes use a GPU or a MIG device. */
final class Processes {
  static final GpuMetric METRIC = GpuMetrics.of("gpu_processes");

  private static final NvmlCall[] CALLS = {NvmlCall.COMPUTE_PROCESSES, NvmlCall.GRAPHICS_PROCESSES};
  private static final String[] KINDS = {"compute", "graphics"};

  /** Entries that there is room for; more are counted all the same. */
  private static final int ROOM = 128;

  /** Some drivers write entries of 32 bytes. */
  private static final int ENTRY = 32;

  /** A GPU has fewer contexts than that. */
  private static final long MOST = 1 << 16;

  private final Labels[] series = new Labels[CALLS.length];
  private final Support[] support = new Support[CALLS.length];
  private final NativeMemory list;

  Processes(Labels of, SupportedMetrics supported, NativeMemory list) {
    this.list = list;
    for (int i = 0; i < CALLS.length; i++) {
      series[i] = of.with("kind", KINDS[i]).with(Labels.NAME, METRIC.name());
      support[i] = supported.question(List.of(METRIC.name()));
    }
  }

  static NativeMemory memory(Nvml nvml) {
    return nvml.allocate(8 + ROOM * ENTRY);
  }

  /**
   * @return the code that ends the reading of this GPU, or success
   */
  int read(Nvml nvml, Device device, GpuReadings readings, ValueCounts counts, long now) {
    if (!readings.isDue(METRIC.tier())) {
      return NvmlReturn.SUCCESS;
    }
    for (int i = 0; i < CALLS.length; i++) {
      if (!support[i].isWorthAsking(now)) {
        continue;
      }
      list.put32(0, ROOM);
      int code = nvml.ask(CALLS[i], device, list);
      support[i].answered(code, now);
      if (code == NvmlReturn.GPU_IS_LOST || NvmlReturn.isLibraryWide(code)) {
        return code;
      }
      // Where there is too little room, the driver still tells the number.
      if (code == NvmlReturn.SUCCESS || code == NvmlReturn.INSUFFICIENT_SIZE) {
        if (list.u32(0) > MOST) {
          counts.dropped(CALLS[i]);
        } else {
          readings.add(Tier.CORE, series[i], list.u32(0));
        }
      }
    }
    return NvmlReturn.SUCCESS;
  }
}

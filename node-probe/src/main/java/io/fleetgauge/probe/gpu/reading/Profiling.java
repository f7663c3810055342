package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.gpu.snapshot.GpuSnapshot;
import io.fleetgauge.probe.gpu.snapshot.ValueCounts;
import io.fleetgauge.probe.nvml.GpmSample;
import io.fleetgauge.probe.nvml.NativeMemory;
import io.fleetgauge.probe.nvml.Nvml;
import io.fleetgauge.probe.nvml.NvmlCall;
import io.fleetgauge.probe.nvml.NvmlDevice;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuMetric;
import io.fleetgauge.sample.gpu.GpuMetric.Entity;
import io.fleetgauge.sample.gpu.GpuMetrics;
import io.fleetgauge.sample.gpu.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * GPM, the driver's profiling of Hopper and newer: means over the time between two samples of a GPU
 * or of a GPU instance.
 */
final class Profiling {
  /** A metric of GPM: its number, and what it is multiplied by. */
  record Gpm(GpuMetric metric, int id, double factor, boolean ratio) {}

  static final List<Gpm> TABLE = table();

  /** The driver refreshes its counters this often. */
  static final long LEAST_NANOS = 100_000_000;

  private static final int HEAD = 24;
  private static final int ENTRY = 40;
  private static final double MIB = 1 << 20;

  /** Drivers tell a little more than 1 at times; far more is no ratio. */
  private static final double MOST_RATIO = 2;

  /** No link moves a petabyte a second. */
  private static final double MOST_BYTES = 1e15;

  private final int instance;
  private final Gpm[] wanted;
  private final Labels[] series;
  private final Support[] support;
  private final int[] asked;
  private final NativeMemory memory;
  private final GpmSample[] samples = new GpmSample[2];
  private long takenAt;
  private boolean hasFirst;

  private Profiling(
      Nvml nvml, int instance, Labels of, SupportedMetrics supported, List<Gpm> wanted) {
    this.instance = instance;
    this.wanted = wanted.toArray(Gpm[]::new);
    series = new Labels[this.wanted.length];
    support = new Support[this.wanted.length];
    asked = new int[this.wanted.length];
    for (int i = 0; i < this.wanted.length; i++) {
      series[i] = of.with(Labels.NAME, this.wanted[i].metric().name());
      support[i] = supported.question(List.of(this.wanted[i].metric().name()));
    }
    memory = nvml.allocate(HEAD + ENTRY * this.wanted.length);
  }

  /**
   * @param instance the GPU instance; -1 for the whole GPU
   * @param links NVLinks whose own metrics are wanted
   */
  static Profiling of(
      Nvml nvml,
      NvmlDevice device,
      int instance,
      Labels labels,
      SupportedMetrics supported,
      int links) {
    List<Gpm> wanted = new ArrayList<>();
    for (Gpm gpm : TABLE) {
      boolean fits = instance < 0 || gpm.metric().entities().contains(Entity.MIG);
      if (fits && gpm.metric().tier() != Tier.LINK) {
        wanted.add(gpm);
      }
    }
    for (int link = 0; link < Math.min(links, 18) && instance < 0; link++) {
      String name = "DCGM_FI_PROF_NVLINK_L" + link;
      wanted.add(new Gpm(GpuMetrics.of(name + "_RX_BYTES"), 62 + 2 * link, MIB, false));
      wanted.add(new Gpm(GpuMetrics.of(name + "_TX_BYTES"), 63 + 2 * link, MIB, false));
    }
    return asked(nvml, device, new Profiling(nvml, instance, labels, supported, wanted));
  }

  /** Profiles a whole GPU, with a few metrics of the table only. */
  static Profiling of(
      Nvml nvml,
      NvmlDevice device,
      Labels labels,
      SupportedMetrics supported,
      Set<String> metrics) {
    List<Gpm> wanted = TABLE.stream().filter(gpm -> metrics.contains(gpm.metric().name())).toList();
    return asked(nvml, device, new Profiling(nvml, -1, labels, supported, wanted));
  }

  private static Profiling asked(Nvml nvml, NvmlDevice device, Profiling profiling) {
    int code = nvml.ask(NvmlCall.GPM_SUPPORT, device, profiling.memory);
    if (code != NvmlReturn.SUCCESS || profiling.memory.i32(4) == 0) {
      profiling.unsupported();
    }
    return profiling;
  }

  private static List<Gpm> table() {
    List<Gpm> table = new ArrayList<>();
    ratio(table, "GR_ENGINE_ACTIVE", 1);
    ratio(table, "SM_ACTIVE", 2);
    ratio(table, "SM_OCCUPANCY", 3);
    ratio(table, "PIPE_INT_ACTIVE", 4);
    ratio(table, "PIPE_TENSOR_ACTIVE", 5);
    ratio(table, "PIPE_TENSOR_DFMA_ACTIVE", 6);
    ratio(table, "PIPE_TENSOR_HMMA_ACTIVE", 7);
    ratio(table, "PIPE_TENSOR_IMMA_ACTIVE", 9);
    ratio(table, "DRAM_ACTIVE", 10);
    ratio(table, "PIPE_FP64_ACTIVE", 11);
    ratio(table, "PIPE_FP32_ACTIVE", 12);
    ratio(table, "PIPE_FP16_ACTIVE", 13);
    for (int i = 0; i < 8; i++) {
      ratio(table, "NVDEC" + i + "_ACTIVE", 30 + i);
      ratio(table, "NVJPG" + i + "_ACTIVE", 40 + i);
    }
    ratio(table, "NVOFA0_ACTIVE", 50);
    ratio(table, "NVOFA1_ACTIVE", 51);
    bytes(table, "PCIE_TX_BYTES", 20);
    bytes(table, "PCIE_RX_BYTES", 21);
    bytes(table, "NVLINK_RX_BYTES", 60);
    bytes(table, "NVLINK_TX_BYTES", 61);
    bytes(table, "C2C_TX_ALL_BYTES", 100);
    bytes(table, "C2C_RX_ALL_BYTES", 101);
    bytes(table, "C2C_TX_DATA_BYTES", 102);
    bytes(table, "C2C_RX_DATA_BYTES", 103);
    return List.copyOf(table);
  }

  private static void ratio(List<Gpm> table, String name, int id) {
    table.add(new Gpm(GpuMetrics.of("DCGM_FI_PROF_" + name), id, 1 / 100.0, true));
  }

  private static void bytes(List<Gpm> table, String name, int id) {
    table.add(new Gpm(GpuMetrics.of("DCGM_FI_PROF_" + name), id, MIB, false));
  }

  boolean isSupported() {
    for (Support of : support) {
      if (!of.isUnsupported()) {
        return true;
      }
    }
    return false;
  }

  private void unsupported() {
    for (Support of : support) {
      of.unsupported();
    }
  }

  /**
   * Takes a sample, and adds the means since the one before it.
   *
   * @return the code that ends the reading of this GPU, or success
   */
  int read(Nvml nvml, NvmlDevice device, GpuSnapshot readings, ValueCounts counts, long now) {
    if (!isSupported() || hasFirst && now - takenAt < LEAST_NANOS) {
      return NvmlReturn.SUCCESS;
    }
    for (int i = 0; i < samples.length; i++) {
      if (samples[i] == null) {
        int code = nvml.ask(NvmlCall.GPM_ALLOC, null, memory);
        if (code != NvmlReturn.SUCCESS) {
          return NvmlReturn.SUCCESS;
        }
        samples[i] = nvml.gpmSample(memory);
      }
    }
    int code = nvml.gpmTake(device, instance, samples[1]);
    if (code != NvmlReturn.SUCCESS) {
      hasFirst = false; // a pair must not span what was missed
      if (NvmlReturn.isForGood(code)) {
        unsupported();
      }
      return code;
    }
    if (hasFirst) {
      code = means(nvml, readings, counts, now);
    }
    GpmSample newer = samples[1];
    samples[1] = samples[0];
    samples[0] = newer;
    takenAt = now;
    hasFirst = true;
    return code;
  }

  private int means(Nvml nvml, GpuSnapshot readings, ValueCounts counts, long now) {
    int count = 0;
    for (int i = 0; i < wanted.length; i++) {
      if (readings.isDue(wanted[i].metric().tier()) && support[i].isWorthAsking(now)) {
        int at = HEAD + ENTRY * count;
        memory.put32(at, wanted[i].id());
        memory.put32(at + 4, NvmlReturn.UNKNOWN);
        memory.put64(at + 8, 0);
        asked[count++] = i;
      }
    }
    if (count == 0) {
      return NvmlReturn.SUCCESS;
    }
    memory.put32(4, count);
    memory.put64(8, samples[0].address());
    memory.put64(16, samples[1].address());
    int code = nvml.ask(NvmlCall.GPM_METRICS, null, memory);
    if (code != NvmlReturn.SUCCESS) {
      return code;
    }
    for (int k = 0; k < count; k++) {
      take(nvml, asked[k], HEAD + ENTRY * k, readings, counts, now);
    }
    return code;
  }

  private void take(Nvml nvml, int i, int at, GpuSnapshot readings, ValueCounts counts, long now) {
    int code = memory.i32(at + 4);
    support[i].answered(code, now);
    if (code != NvmlReturn.SUCCESS) {
      nvml.log().failed(NvmlCall.GPM_METRICS, code);
      return;
    }
    double value = memory.f64(at + 8) * wanted[i].factor();
    if (Double.isNaN(value)) {
      return; // no mean for this time, which the driver tells so
    }
    double most = wanted[i].ratio() ? MOST_RATIO : MOST_BYTES;
    if (value < 0 || value > most) {
      counts.dropped(NvmlCall.GPM_METRICS);
      return;
    }
    if (wanted[i].ratio() && value > 1) {
      counts.clamped();
      value = 1;
    }
    readings.add(wanted[i].metric().tier(), series[i], value);
  }

  /** Gives the samples back; not after the driver began anew, which has freed them itself. */
  void free(Nvml nvml) {
    for (int i = 0; i < samples.length; i++) {
      if (samples[i] != null) {
        nvml.gpmFree(samples[i]);
        samples[i] = null;
      }
    }
    hasFirst = false;
  }
}

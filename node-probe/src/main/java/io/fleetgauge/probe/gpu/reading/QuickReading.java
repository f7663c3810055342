package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.gpu.reading.FieldRead.Kind;
import io.fleetgauge.probe.gpu.snapshot.GpuSnapshot;
import io.fleetgauge.probe.gpu.snapshot.QuickGpu;
import io.fleetgauge.probe.gpu.snapshot.QuickMetric;
import io.fleetgauge.probe.gpu.snapshot.ValueCounts;
import io.fleetgauge.probe.nvml.FieldValues;
import io.fleetgauge.probe.nvml.NativeMemory;
import io.fleetgauge.probe.nvml.Nvml;
import io.fleetgauge.probe.nvml.NvmlCall;
import io.fleetgauge.probe.nvml.NvmlDevice;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.Tier;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A few values of one GPU with three to five calls, cheap enough for every second: one batch of
 * fields, utilisation, the SM clock, power where no field has it, and two calls of profiling where
 * the GPU has that. Rates are means since the reading before.
 */
final class QuickReading {
  private static final Set<Tier> CORE = EnumSet.of(Tier.CORE);
  private static final double MILLI = 1000;
  private static final double MOST_WATTS = 10_000;
  private static final double KIB = 1.0 / 1024;

  /** A mean of one second where the GPU has it, as {@link NvmlCall#POWER} tells it there. */
  private static final int POWER_AVERAGE = 185;

  private static final Set<String> PROFILED =
      Set.of(
          QuickMetric.TENSOR.metric(),
          QuickMetric.PCIE_TX.metric(),
          QuickMetric.PCIE_RX.metric(),
          QuickMetric.NVLINK_TX.metric(),
          QuickMetric.NVLINK_RX.metric());

  private final FieldPlan fields;
  private final CallPlan calls;
  private final CallPlan power;
  private final Profiling profiling;
  private final Traffic traffic;

  QuickReading(Nvml nvml, NvmlDevice device, Labels labels, NativeMemory out) {
    SupportedMetrics supported = new SupportedMetrics(labels);
    traffic = new Traffic(labels);
    profiling = Profiling.of(nvml, device, labels, supported, PROFILED);
    fields =
        new FieldPlan(nvml, Tier.CORE, reads(!profiling.isSupported()), labels, supported, traffic);
    calls = new CallPlan(GpuCalls.QUICK, labels, supported, out);
    power = new CallPlan(GpuCalls.POWER, labels, supported, out);
  }

  private static List<FieldRead> reads(boolean withTraffic) {
    List<FieldRead> reads = new ArrayList<>();
    reads.add(FieldRead.of(QuickMetric.POWER.metric(), POWER_AVERAGE, MILLI).within(0, MOST_WATTS));
    reads.add(FieldRead.of(QuickMetric.ECC_UNCORRECTED.metric(), 4, 1));
    reads.add(FieldRead.of(QuickMetric.ROW_REMAP_FAILURE.metric(), 145, 1).within(0, 1));
    reads.add(FieldRead.of(QuickMetric.RECOVERY_ACTION.metric(), 230, 1).within(0, 0xff));
    if (withTraffic) {
      reads.add(traffic("DCGM_FI_PROF_NVLINK_TX_BYTES", 140, KIB, "tx").at(FieldValues.ALL));
      reads.add(traffic("DCGM_FI_PROF_NVLINK_RX_BYTES", 141, KIB, "rx").at(FieldValues.ALL));
      reads.add(traffic("gpu_pcie_bytes_total", 197, 1, "tx"));
      reads.add(traffic("gpu_pcie_bytes_total", 198, 1, "rx"));
    }
    return reads;
  }

  private static FieldRead traffic(String metric, int field, double divisor, String way) {
    return FieldRead.of(metric, field, divisor, "direction", way).as(Kind.TRAFFIC);
  }

  /**
   * Reads what the GPU has.
   *
   * @return the code that ends the reading of this GPU, or success
   */
  int read(Nvml nvml, NvmlDevice device, QuickGpu into, ValueCounts counts, long now) {
    GpuSnapshot readings = new GpuSnapshot(CORE);
    int code = fields.read(nvml, device, readings, counts, now);
    if (NodeGpu.ends(code)) {
      return code;
    }
    code = calls.read(nvml, device, readings, counts, now);
    take(readings, into);
    if (code == NvmlReturn.SUCCESS && Double.isNaN(into.value(QuickMetric.POWER))) {
      code = power.read(nvml, device, readings, counts, now);
    }
    if (code == NvmlReturn.SUCCESS) {
      code = profiling.read(nvml, device, readings, counts, now);
      code = NodeGpu.ends(code) ? code : NvmlReturn.SUCCESS;
    }
    traffic.emit(readings, now);
    take(readings, into);
    return code;
  }

  private static void take(GpuSnapshot readings, QuickGpu into) {
    Tick read = readings.of(Tier.CORE).at(0);
    for (int i = 0; i < read.size(); i++) {
      QuickMetric metric = QuickMetric.readAs(read.series().get(i).metric());
      if (metric != null) {
        into.set(metric, read.values()[i] / metric.divisor());
      }
    }
  }

  void free(Nvml nvml) {
    profiling.free(nvml);
  }
}

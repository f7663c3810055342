package io.fleetgauge.probe.gpu.reading;

import static io.fleetgauge.probe.gpu.reading.Value.bit;
import static io.fleetgauge.probe.gpu.reading.Value.i32;
import static io.fleetgauge.probe.gpu.reading.Value.mib;
import static io.fleetgauge.probe.gpu.reading.Value.u32;
import static io.fleetgauge.probe.gpu.reading.Value.u64;
import static io.fleetgauge.probe.gpu.reading.Value.usedRatio;

import io.fleetgauge.probe.nvml.NvmlCall;
import io.fleetgauge.sample.gpu.ClockReason;
import io.fleetgauge.sample.gpu.Tier;
import java.util.ArrayList;
import java.util.List;

/** The calls of a reading, one for each question; cheap and harmless ones first. */
final class GpuCalls {
  private static final double CELSIUS = 200;
  private static final double PERCENT = 100;

  /** Per cent; the speed may be above the highest that is noise-free. */
  private static final double FAN_SPEED = 200;

  private static final double PCIE_GENERATION = 100;
  private static final double PCIE_LANES = 100;
  private static final double MEGAHERTZ = 100_000;

  /** Ten kilowatts a board. */
  private static final double MILLIWATTS = 10_000_000;

  private static final double WATTS = MILLIWATTS / 1000;
  private static final double COUNT = 4_294_967_294.0;

  /** On or off. */
  private static final double FLAG = 1;

  /** Calls for a GPU. */
  static final List<GpuCall> OF_GPU = ofGpu();

  /** Calls for a MIG device; the rest is only known of its GPU. */
  static final List<GpuCall> OF_INSTANCE = List.of(memory(), memoryBefore510(), usedMemory());

  /** Calls for a GPU every second. */
  static final List<GpuCall> QUICK = List.of(utilization(), smClock());

  /** Power, where no field has it. */
  static final List<GpuCall> POWER = List.of(power());

  private GpuCalls() {}

  private static List<GpuCall> ofGpu() {
    List<GpuCall> asks = new ArrayList<>();
    core(asks);
    health(asks);
    extended(asks);
    settings(asks);
    return List.copyOf(asks);
  }

  private static void core(List<GpuCall> asks) {
    asks.add(utilization());
    asks.add(one(Tier.CORE, NvmlCall.ENCODER, u32("DCGM_FI_DEV_ENC_UTIL", 0, PERCENT)));
    asks.add(one(Tier.CORE, NvmlCall.DECODER, u32("DCGM_FI_DEV_DEC_UTIL", 0, PERCENT)));
    asks.add(memory());
    asks.add(memoryBefore510());
    asks.add(one(Tier.CORE, NvmlCall.TEMPERATURE_V, u32("DCGM_FI_DEV_GPU_TEMP", 8, CELSIUS)));
    asks.add(
        one(Tier.CORE, NvmlCall.TEMPERATURE, u32("DCGM_FI_DEV_GPU_TEMP", 0, CELSIUS))
            .instead(NvmlCall.TEMPERATURE_V));
    asks.add(smClock());
    asks.add(one(Tier.CORE, NvmlCall.CLOCK, u32("DCGM_FI_DEV_MEM_CLOCK", 0, MEGAHERTZ)).with(2));
    asks.add(reasons(NvmlCall.EVENT_REASONS));
    asks.add(reasons(NvmlCall.THROTTLE_REASONS).instead(NvmlCall.EVENT_REASONS));
    asks.add(power());
    asks.add(
        one(
            Tier.CORE,
            NvmlCall.POWER_LIMIT_ENFORCED,
            watts("DCGM_FI_DEV_ENFORCED_POWER_LIMIT", 0)));
    asks.add(
        GpuCall.of(
            Tier.CORE,
            NvmlCall.ENERGY,
            u64("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 0),
            u64("gpu_energy_joules_total", 0).over(1000)));
    asks.add(
        one(Tier.CORE, NvmlCall.PCIE_REPLAYS, u32("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", 0, COUNT)));
  }

  private static void health(List<GpuCall> asks) {
    asks.add(one(Tier.HEALTH, NvmlCall.MARGIN, i32("DCGM_FI_DEV_GPU_TEMP_LIMIT", 4, CELSIUS)));
    asks.add(
        one(
            Tier.HEALTH,
            NvmlCall.PCIE_GENERATION,
            u32("DCGM_FI_DEV_PCIE_LINK_GEN", 0, PCIE_GENERATION)));
    asks.add(
        one(Tier.HEALTH, NvmlCall.PCIE_WIDTH, u32("DCGM_FI_DEV_PCIE_LINK_WIDTH", 0, PCIE_LANES)));
    asks.add(
        GpuCall.of(
            Tier.HEALTH,
            NvmlCall.ROW_REMAP_BANKS,
            u32("DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_MAX", 0, COUNT),
            u32("DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_HIGH", 4, COUNT),
            u32("DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_PARTIAL", 8, COUNT),
            u32("DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_LOW", 12, COUNT),
            u32("DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_NONE", 16, COUNT)));
    asks.add(one(Tier.HEALTH, NvmlCall.ECC_SRAM, u32("DCGM_FI_DEV_THRESHOLD_SRM", 96, FLAG)));
    String[] errors = {"corrected", "uncorrected"};
    String[] since = {"driver_load", "manufacture"};
    for (int error = 0; error < errors.length; error++) {
      for (int counter = 0; counter < since.length; counter++) {
        asks.add(eccErrors(errors[error], since[counter], "dram").with(error, counter, 2));
        asks.add(eccErrors(errors[error], since[counter], "sram").with(error, counter, 7));
      }
    }
  }

  private static GpuCall eccErrors(String kind, String since, String memory) {
    return one(
        Tier.HEALTH,
        NvmlCall.ECC_MEMORY,
        u64("gpu_ecc_errors_total", 0).with("error", kind, "since", since, "memory", memory));
  }

  private static void extended(List<GpuCall> asks) {
    asks.add(
        one(Tier.EXTENDED, NvmlCall.CLOCK, u32("DCGM_FI_DEV_VIDEO_CLOCK", 0, MEGAHERTZ)).with(3));
    asks.add(one(Tier.EXTENDED, NvmlCall.PSTATE, u32("DCGM_FI_DEV_PSTATE", 0, 32)));
    asks.add(one(Tier.EXTENDED, NvmlCall.FAN, u32("DCGM_FI_DEV_FAN_SPEED", 0, FAN_SPEED)));
    asks.add(
        GpuCall.of(
            Tier.EXTENDED,
            NvmlCall.BAR1,
            mib("DCGM_FI_DEV_BAR1_TOTAL", 0),
            mib("DCGM_FI_DEV_BAR1_USED", 16)));
    asks.add(usedMemory());
    asks.add(one(Tier.EXTENDED, NvmlCall.JPG, ratio("gpu_jpg_utilization_ratio")));
    asks.add(one(Tier.EXTENDED, NvmlCall.OFA, ratio("gpu_ofa_utilization_ratio")));
  }

  private static void settings(List<GpuCall> asks) {
    String[] thresholds = {
      "DCGM_FI_DEV_SHUTDOWN_TEMP",
      "DCGM_FI_DEV_SLOWDOWN_TEMP",
      "DCGM_FI_DEV_MEM_MAX_OP_TEMP",
      "DCGM_FI_DEV_GPU_MAX_OP_TEMP"
    };
    for (int i = 0; i < thresholds.length; i++) {
      asks.add(one(Tier.STATIC, NvmlCall.THRESHOLD, u32(thresholds[i], 0, CELSIUS)).with(i));
    }
    asks.add(
        one(Tier.STATIC, NvmlCall.MAX_CLOCK, u32("DCGM_FI_DEV_MAX_SM_CLOCK", 0, MEGAHERTZ))
            .with(1));
    asks.add(
        one(Tier.STATIC, NvmlCall.MAX_CLOCK, u32("DCGM_FI_DEV_MAX_MEM_CLOCK", 0, MEGAHERTZ))
            .with(2));
    asks.add(one(Tier.STATIC, NvmlCall.POWER_LIMIT, watts("DCGM_FI_DEV_POWER_MGMT_LIMIT", 0)));
    asks.add(
        one(
            Tier.STATIC,
            NvmlCall.POWER_LIMIT_DEFAULT,
            watts("DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF", 0)));
    asks.add(
        GpuCall.of(
            Tier.STATIC,
            NvmlCall.POWER_LIMIT_RANGE,
            watts("DCGM_FI_DEV_POWER_MGMT_LIMIT_MIN", 0),
            watts("DCGM_FI_DEV_POWER_MGMT_LIMIT_MAX", 4)));
    asks.add(
        one(
            Tier.STATIC,
            NvmlCall.PCIE_MAX_GENERATION,
            u32("DCGM_FI_DEV_PCIE_MAX_LINK_GEN", 0, PCIE_GENERATION)));
    asks.add(
        one(
            Tier.STATIC,
            NvmlCall.PCIE_MAX_WIDTH,
            u32("DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH", 0, PCIE_LANES)));
    asks.add(one(Tier.STATIC, NvmlCall.PERSISTENCE, u32("DCGM_FI_DEV_PERSISTENCE_MODE", 0, FLAG)));
    asks.add(
        GpuCall.of(
            Tier.STATIC,
            NvmlCall.ECC_MODE,
            u32("DCGM_FI_DEV_ECC_CURRENT", 0, FLAG),
            u32("gpu_ecc_pending", 4, FLAG)));
    asks.add(
        GpuCall.of(
            Tier.STATIC,
            NvmlCall.MIG_MODE,
            u32("DCGM_FI_DEV_MIG_MODE", 0, FLAG),
            u32("gpu_mig_pending", 4, FLAG)));
  }

  private static GpuCall utilization() {
    return GpuCall.of(
        Tier.CORE,
        NvmlCall.UTILIZATION,
        u32("DCGM_FI_DEV_GPU_UTIL", 0, PERCENT),
        u32("DCGM_FI_DEV_MEM_COPY_UTIL", 4, PERCENT));
  }

  private static GpuCall smClock() {
    return one(Tier.CORE, NvmlCall.CLOCK, u32("DCGM_FI_DEV_SM_CLOCK", 0, MEGAHERTZ)).with(1);
  }

  private static GpuCall power() {
    return one(Tier.CORE, NvmlCall.POWER, watts("DCGM_FI_DEV_POWER_USAGE", 0));
  }

  private static GpuCall memory() {
    return GpuCall.of(
        Tier.CORE,
        NvmlCall.MEMORY_V2,
        mib("DCGM_FI_DEV_FB_TOTAL", 8),
        mib("DCGM_FI_DEV_FB_RESERVED", 16),
        mib("DCGM_FI_DEV_FB_FREE", 24),
        mib("DCGM_FI_DEV_FB_USED", 32));
  }

  /** Used contains what the driver reserves here. */
  private static GpuCall memoryBefore510() {
    return GpuCall.of(
            Tier.CORE,
            NvmlCall.MEMORY,
            mib("DCGM_FI_DEV_FB_TOTAL", 0),
            mib("DCGM_FI_DEV_FB_FREE", 8),
            mib("DCGM_FI_DEV_FB_USED", 16))
        .instead(NvmlCall.MEMORY_V2);
  }

  private static GpuCall usedMemory() {
    return one(Tier.EXTENDED, NvmlCall.MEMORY_V2, usedRatio("DCGM_FI_DEV_FB_USED_PERCENT"));
  }

  private static GpuCall reasons(NvmlCall call) {
    List<Value> values = new ArrayList<>();
    values.add(u64("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", 0));
    for (ClockReason reason : ClockReason.values()) {
      values.add(bit("gpu_clock_event_active", reason.ordinal(), "reason", reason.text()));
    }
    return GpuCall.of(Tier.CORE, call, values.toArray(Value[]::new));
  }

  private static Value watts(String metric, int at) {
    return u32(metric, at, WATTS).over(1000);
  }

  private static Value ratio(String metric) {
    return u32(metric, 0, 1).over(100);
  }

  private static GpuCall one(Tier tier, NvmlCall call, Value value) {
    return GpuCall.of(tier, call, value);
  }
}

package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.nvml.StandIn;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A GPU that supports everything, whose readings all differ, and what has to be read of it: by
 * metric and the labels that are not the GPU's.
 */
public final class FullGpu {
  public static final int LINKS = 2;

  /** The cluster of its fabric. */
  public static final UUID CLUSTER = UUID.fromString("f8a1c2d3-0001-4e5f-8a9b-0c1d2e3f4a5b");

  private final StandIn driver;
  private final int gpu;
  private final Map<String, Double> expected = new TreeMap<>();

  private FullGpu(StandIn driver, int gpu) {
    this.driver = driver;
    this.gpu = gpu;
  }

  /** Writes the GPU to the script. */
  public static Map<String, Double> fill(StandIn driver, int gpu) {
    FullGpu full = new FullGpu(driver, gpu);
    full.core();
    full.health();
    full.extended();
    full.settings();
    full.profiling();
    return full.expected;
  }

  private void read(String key, double raw, String series, double value) {
    driver.set(gpu, key, raw);
    expected.put(series, value);
  }

  private void field(int field, double raw, String series, double value) {
    read("field." + field, raw, series, value);
  }

  private void core() {
    read("gpu_percent", 87, "DCGM_FI_DEV_GPU_UTIL", 87);
    read("memory_percent", 41, "DCGM_FI_DEV_MEM_COPY_UTIL", 41);
    read("encoder_percent", 11, "DCGM_FI_DEV_ENC_UTIL", 11);
    read("decoder_percent", 12, "DCGM_FI_DEV_DEC_UTIL", 12);
    read("total", 81559L << 20, "DCGM_FI_DEV_FB_TOTAL", 81559);
    read("reserved", 551L << 20, "DCGM_FI_DEV_FB_RESERVED", 551);
    read("used", (1000L << 20) + 5, "DCGM_FI_DEV_FB_USED", 1000);
    expected.put("DCGM_FI_DEV_FB_FREE", 80007.0);
    read("celsius", 64, "DCGM_FI_DEV_GPU_TEMP", 64);
    read("clock.1", 1980, "DCGM_FI_DEV_SM_CLOCK", 1980);
    read("clock.2", 2619, "DCGM_FI_DEV_MEM_CLOCK", 2619);
    read("reasons", 0x44, "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", 0x44);
    String[] reasons = {
      "gpu_idle",
      "clocks_setting",
      "power_cap",
      "hw_slowdown",
      "sync_boost",
      "sw_thermal",
      "hw_thermal",
      "hw_power_brake",
      "display_clocks"
    };
    for (int i = 0; i < reasons.length; i++) {
      expected.put(
          "gpu_clock_event_active{reason=\"" + reasons[i] + "\"}", i == 2 || i == 6 ? 1.0 : 0.0);
    }
    read("power", 687_125, "DCGM_FI_DEV_POWER_USAGE", 687.125);
    read("limit_enforced", 700_000, "DCGM_FI_DEV_ENFORCED_POWER_LIMIT", 700);
    read("energy", 9_000_000_000_123L, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 9000000000123.0);
    expected.put("gpu_energy_joules_total", 9000000000.123);
    read("replays", 13, "DCGM_FI_DEV_PCIE_REPLAY_COUNTER", 13);
    read("compute_processes", 3, "gpu_processes{kind=\"compute\"}", 3);
    read("graphics_processes", 0, "gpu_processes{kind=\"graphics\"}", 0);
    read("mps_processes", 1, "gpu_processes{kind=\"mps\"}", 1);
    driver.set(gpu, "used_processes", 2);
    expected.put("gpu_info", 1.0);
    driver.set(gpu, "architecture", 9);
    field(82, 71, "DCGM_FI_DEV_MEMORY_TEMP", 71);
    field(142, 4, "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", 4);
    field(143, 5, "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", 5);
    field(145, 1, "DCGM_FI_DEV_ROW_REMAP_FAILURE", 1);
    field(230, 2, "DCGM_FI_DEV_GPU_RECOVERY_ACTION", 2);
    field(197, 1234, "gpu_pcie_bytes_total{direction=\"tx\"}", 1234);
    field(198, 5678, "gpu_pcie_bytes_total{direction=\"rx\"}", 5678);
    read("field.138.-1", 100, "gpu_nvlink_bytes_total{direction=\"tx\"}", 102_400);
    read("field.139.-1", 200, "gpu_nvlink_bytes_total{direction=\"rx\"}", 204_800);
    driver.set(gpu, "field.140.-1", 110);
    driver.set(gpu, "field.141.-1", 220);
    int[] fields = {74, 75, 76, 77, 78, 79, 269, 270, 271};
    String[] held = {
      "power_cap",
      "thermal",
      "sync_boost",
      "board_limit",
      "low_util",
      "reliability",
      "sw_thermal",
      "hw_thermal",
      "hw_power_brake"
    };
    for (int i = 0; i < fields.length; i++) {
      double seconds = 1.5 + i;
      field(
          fields[i],
          seconds * 1e9,
          "gpu_clock_event_seconds_total{reason=\"" + held[i] + "\"}",
          seconds);
    }
  }

  private void health() {
    read("margin", 23, "DCGM_FI_DEV_GPU_TEMP_LIMIT", 23);
    read("generation", 5, "DCGM_FI_DEV_PCIE_LINK_GEN", 5);
    read("width", 16, "DCGM_FI_DEV_PCIE_LINK_WIDTH", 16);
    String[] banks = {"MAX", "HIGH", "PARTIAL", "LOW", "NONE"};
    for (int i = 0; i < banks.length; i++) {
      read("banks." + i, 3000 + i, "DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_" + banks[i], 3000 + i);
    }
    read("sram_exceeded", 1, "DCGM_FI_DEV_THRESHOLD_SRM", 1);
    read("fabric_state", 3, "DCGM_FI_DEV_FABRIC_MANAGER_STATUS", 3);
    read("fabric_mask", 0x15, "DCGM_FI_DEV_FABRIC_HEALTH_MASK", 0x15);
    read("fabric_summary", 1, "gpu_fabric_health_summary", 1);
    driver.set(gpu, "fabric_clique", 2);
    driver.setBits(gpu, "fabric_cluster.0", CLUSTER.getMostSignificantBits());
    driver.setBits(gpu, "fabric_cluster.1", CLUSTER.getLeastSignificantBits());
    for (String condition : List.of("completed", "success", "clique", "cluster")) {
      expected.put("gpu_fabric_ready{condition=\"" + condition + "\"}", 1.0);
    }
    expected.put("gpu_fabric_info{clique_id=\"2\", cluster_uuid=\"" + CLUSTER + "\"}", 1.0);
    for (int i = 0; i < 8; i++) {
      String labels =
          "{error=\""
              + (i / 4 == 0 ? "corrected" : "uncorrected")
              + "\", memory=\""
              + (i % 2 == 0 ? "dram" : "sram")
              + "\", since=\""
              + (i / 2 % 2 == 0 ? "driver_load" : "manufacture")
              + "\"}";
      String key = "ecc." + i / 4 + "." + i / 2 % 2 + "." + (i % 2 == 0 ? 2 : 7);
      read(key, 40 + i, "gpu_ecc_errors_total" + labels, 40 + i);
    }
    field(144, 1, "DCGM_FI_DEV_ROW_REMAP_PENDING", 1);
    field(3, 31, "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", 31);
    field(4, 32, "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", 32);
    field(5, 33, "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL", 33);
    field(6, 34, "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL", 34);
    field(29, 35, "DCGM_FI_DEV_RETIRED_SBE", 35);
    field(30, 36, "DCGM_FI_DEV_RETIRED_DBE", 36);
    field(31, 37, "DCGM_FI_DEV_RETIRED_PENDING", 37);
    expected.put("DCGM_FI_DEV_POWER_VIOLATION", 1.5e9);
    expected.put("DCGM_FI_DEV_THERMAL_VIOLATION", 2.5e9);
    expected.put("DCGM_FI_DEV_SYNC_BOOST_VIOLATION", 3.5e9);
    expected.put("DCGM_FI_DEV_BOARD_LIMIT_VIOLATION", 4.5e9);
    expected.put("DCGM_FI_DEV_RELIABILITY_VIOLATION", 6.5e9);
    expected.put("DCGM_FI_DEV_CLOCKS_EVENT_REASON_SW_POWER_CAP_NS", 1.5e9);
    expected.put("DCGM_FI_DEV_CLOCKS_EVENT_REASON_SYNC_BOOST_NS", 3.5e9);
    expected.put("DCGM_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN_NS", 7.5e9);
    expected.put("DCGM_FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN_NS", 8.5e9);
    expected.put("DCGM_FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN_NS", 9.5e9);
    field(173, 51, "DCGM_FI_DEV_PCIE_CORRECTABLE_ERROR_TOTAL", 51);
    String[] errors = {
      "nak_received",
      "receiver",
      "bad_tlp",
      "nak_sent",
      "bad_dllp",
      "non_fatal",
      "fatal",
      "unsupported_request",
      "lcrc",
      "lane"
    };
    field(169, 52, "gpu_pcie_errors_total{error=\"l0_to_recovery\"}", 52);
    for (int i = 0; i < errors.length; i++) {
      field(174 + i, 60 + i, "gpu_pcie_errors_total{error=\"" + errors[i] + "\"}", 60 + i);
    }
    field(38, 71, "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", 71);
    field(45, 72, "DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", 72);
    field(52, 73, "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", 73);
    field(59, 74, "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", 74);
    field(160, 75, "DCGM_FI_DEV_NVLINK_ECC_DATA_ERROR_COUNT_TOTAL", 75);
    driver.set(gpu, "field.91", LINKS);
    perLink(208, 80, "DCGM_FI_DEV_NVLINK_COUNT_RX_ERRORS");
    perLink(221, 82, "DCGM_FI_DEV_NVLINK_COUNT_RX_SYMBOL_ERRORS");
    perLink(219, 84, "DCGM_FI_DEV_NVLINK_COUNT_EFFECTIVE_ERRORS");
    perLink(213, 86, "DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_SUCCESSFUL_EVENTS");
    perLink(214, 88, "DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS");
    perLink(215, 90, "DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_EVENTS");
    driver.set(gpu, "field.165", 1);
    driver.set(gpu, "field.165.1", 0);
    expected.put("gpu_nvlink_links{state=\"active\"}", 1.0);
    expected.put("gpu_nvlink_links{state=\"inactive\"}", 1.0);
    expected.put("gpu_nvlink_links{state=\"sleep\"}", 0.0);
  }

  /** The same counter of both links: one series has their sum. */
  private void perLink(int field, double value, String metric) {
    driver.set(gpu, "field." + field, value);
    driver.set(gpu, "field." + field + ".1", value + 1);
    expected.put(metric, 2 * value + 1);
  }

  private void extended() {
    read("clock.3", 1545, "DCGM_FI_DEV_VIDEO_CLOCK", 1545);
    read("pstate", 2, "DCGM_FI_DEV_PSTATE", 2);
    read("fan", 33, "DCGM_FI_DEV_FAN_SPEED", 33);
    read("bar1_total", 131_072L << 20, "DCGM_FI_DEV_BAR1_TOTAL", 131_072);
    read("bar1_used", 7L << 20, "DCGM_FI_DEV_BAR1_USED", 7);
    expected.put("DCGM_FI_DEV_FB_USED_PERCENT", ((1000L << 20) + 5) / (double) (81_008L << 20));
    read("jpg_percent", 21, "gpu_jpg_utilization_ratio", 0.21);
    read("ofa_percent", 22, "gpu_ofa_utilization_ratio", 0.22);
    field(186, 690_500, "DCGM_FI_DEV_POWER_USAGE_INSTANT", 690.5);
    read("field.186.1", 990_250, "gpu_power_module_watts", 990.25);
    expected.put("DCGM_FI_DEV_LOW_UTIL_VIOLATION", 5.5e9);
  }

  private void settings() {
    read("threshold.0", 95, "DCGM_FI_DEV_SHUTDOWN_TEMP", 95);
    read("threshold.1", 90, "DCGM_FI_DEV_SLOWDOWN_TEMP", 90);
    read("threshold.2", 96, "DCGM_FI_DEV_MEM_MAX_OP_TEMP", 96);
    read("threshold.3", 87, "DCGM_FI_DEV_GPU_MAX_OP_TEMP", 87);
    read("max_clock.1", 1981, "DCGM_FI_DEV_MAX_SM_CLOCK", 1981);
    read("max_clock.2", 2620, "DCGM_FI_DEV_MAX_MEM_CLOCK", 2620);
    read("limit", 650_000, "DCGM_FI_DEV_POWER_MGMT_LIMIT", 650);
    read("limit_default", 700_001, "DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF", 700.001);
    read("limit_min", 200_000, "DCGM_FI_DEV_POWER_MGMT_LIMIT_MIN", 200);
    read("limit_max", 701_000, "DCGM_FI_DEV_POWER_MGMT_LIMIT_MAX", 701);
    read("max_generation", 6, "DCGM_FI_DEV_PCIE_MAX_LINK_GEN", 6);
    read("max_width", 17, "DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH", 17);
    read("persistence", 1, "DCGM_FI_DEV_PERSISTENCE_MODE", 1);
    read("ecc", 1, "DCGM_FI_DEV_ECC_CURRENT", 1);
    read("ecc_pending", 0, "gpu_ecc_pending", 0);
    read("mig", 0, "DCGM_FI_DEV_MIG_MODE", 0);
    read("mig_pending", 1, "gpu_mig_pending", 1);
    field(170, 5, "DCGM_FI_DEV_C2C_LINK_COUNT", 5);
    driver.set(gpu, "type.193", 5);
    String[] limits = {"shutdown", "slowdown", "memory", "gpu"};
    for (int i = 0; i < limits.length; i++) {
      driver.set(gpu, "type." + (193 + i), 5);
      field(193 + i, -4 + i, "gpu_temperature_tlimit_celsius{limit=\"" + limits[i] + "\"}", -4 + i);
    }
  }

  private void profiling() {
    driver.set(gpu, "gpm", 1);
    int n = 0;
    for (Profiling.Gpm gpm : Profiling.TABLE) {
      driver.set(gpu, "gpm." + gpm.id(), 10 + ++n / 4.0);
    }
  }

  /** What profiling has to tell once there are two samples. */
  public static Map<String, Double> profiled() {
    Map<String, Double> values = new TreeMap<>();
    int n = 0;
    for (Profiling.Gpm gpm : Profiling.TABLE) {
      values.put(gpm.metric().name(), (10 + ++n / 4.0) * gpm.factor());
    }
    return values;
  }
}

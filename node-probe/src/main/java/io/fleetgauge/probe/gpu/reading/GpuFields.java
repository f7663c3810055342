package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.gpu.reading.FieldRead.Kind;
import io.fleetgauge.probe.nvml.FieldValues;
import io.fleetgauge.sample.gpu.Tier;
import java.util.ArrayList;
import java.util.List;

/** The fields of a reading: one batch for each tier. */
final class GpuFields {
  /** The link count that the driver tells. */
  static final int LINK_COUNT = 91;

  private static final double NANOS = 1e9;
  private static final double MILLI = 1000;
  private static final double MOST_CELSIUS = 200;
  private static final double MOST_WATTS = 10_000;

  private GpuFields() {}

  /**
   * @param links NVLinks of the GPU
   * @param ofLinks series of each of them
   */
  static List<FieldRead> of(Tier tier, int links, LinkSeries ofLinks) {
    List<FieldRead> reads = new ArrayList<>();
    switch (tier) {
      case CORE -> core(reads);
      case HEALTH -> health(reads, links);
      case EXTENDED -> extended(reads);
      case STATIC -> settings(reads);
      case LINK -> {
        for (int link = 0; link < links && ofLinks != LinkSeries.NONE; link++) {
          linkHealth(reads, link, Integer.toString(link));
          if (ofLinks == LinkSeries.ALL) {
            linkTraffic(reads, link, Integer.toString(link));
          }
        }
      }
    }
    return reads;
  }

  private static void core(List<FieldRead> reads) {
    reads.add(count("DCGM_FI_DEV_MEMORY_TEMP", 82).as(Kind.BITS32).within(1, MOST_CELSIUS));
    reads.add(count("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", 142));
    reads.add(count("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", 143));
    reads.add(count("DCGM_FI_DEV_ROW_REMAP_FAILURE", 145).within(0, 1));
    reads.add(count("DCGM_FI_DEV_GPU_RECOVERY_ACTION", 230).within(0, 0xff));
    traffic(reads, "gpu_nvlink_bytes_total", 138, FieldValues.ALL, 1.0 / 1024, "tx");
    traffic(reads, "gpu_nvlink_bytes_total", 139, FieldValues.ALL, 1.0 / 1024, "rx");
    traffic(reads, "DCGM_FI_PROF_NVLINK_TX_BYTES", 140, FieldValues.ALL, 1.0 / 1024, "");
    traffic(reads, "DCGM_FI_PROF_NVLINK_RX_BYTES", 141, FieldValues.ALL, 1.0 / 1024, "");
    traffic(reads, "gpu_pcie_bytes_total", 197, 0, 1, "tx");
    traffic(reads, "gpu_pcie_bytes_total", 198, 0, 1, "rx");
    String[] reasons = {
      "power_cap", "thermal", "sync_boost", "board_limit", "low_util", "reliability"
    };
    for (int i = 0; i < reasons.length; i++) {
      reads.add(seconds(74 + i, reasons[i]));
    }
    reads.add(seconds(269, "sw_thermal"));
    reads.add(seconds(270, "hw_thermal"));
    reads.add(seconds(271, "hw_power_brake"));
  }

  private static void health(List<FieldRead> reads, int links) {
    reads.add(count("DCGM_FI_DEV_ROW_REMAP_PENDING", 144).within(0, 1));
    reads.add(count("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", 3));
    reads.add(count("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", 4));
    reads.add(count("DCGM_FI_DEV_ECC_SBE_AGG_TOTAL", 5));
    reads.add(count("DCGM_FI_DEV_ECC_DBE_AGG_TOTAL", 6));
    reads.add(count("DCGM_FI_DEV_RETIRED_SBE", 29));
    reads.add(count("DCGM_FI_DEV_RETIRED_DBE", 30));
    reads.add(count("DCGM_FI_DEV_RETIRED_PENDING", 31));
    reads.add(count("DCGM_FI_DEV_POWER_VIOLATION", 74));
    reads.add(count("DCGM_FI_DEV_THERMAL_VIOLATION", 75));
    reads.add(count("DCGM_FI_DEV_SYNC_BOOST_VIOLATION", 76));
    reads.add(count("DCGM_FI_DEV_BOARD_LIMIT_VIOLATION", 77));
    reads.add(count("DCGM_FI_DEV_RELIABILITY_VIOLATION", 79));
    reads.add(count("DCGM_FI_DEV_CLOCKS_EVENT_REASON_SW_POWER_CAP_NS", 74));
    reads.add(count("DCGM_FI_DEV_CLOCKS_EVENT_REASON_SYNC_BOOST_NS", 76));
    reads.add(count("DCGM_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN_NS", 269));
    reads.add(count("DCGM_FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN_NS", 270));
    reads.add(count("DCGM_FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN_NS", 271));
    reads.add(count("DCGM_FI_DEV_PCIE_CORRECTABLE_ERROR_TOTAL", 173));
    pcieErrors(reads);
    reads.add(count("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", 38));
    reads.add(count("DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", 45));
    reads.add(count("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", 52));
    reads.add(count("DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", 59));
    reads.add(count("DCGM_FI_DEV_NVLINK_ECC_DATA_ERROR_COUNT_TOTAL", 160));
    for (int link = 0; link < links; link++) {
      reads.add(count("DCGM_FI_DEV_NVLINK_COUNT_RX_ERRORS", 208).at(link));
      reads.add(count("DCGM_FI_DEV_NVLINK_COUNT_RX_SYMBOL_ERRORS", 221).at(link));
      reads.add(count("DCGM_FI_DEV_NVLINK_COUNT_EFFECTIVE_ERRORS", 219).at(link));
      reads.add(count("DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_SUCCESSFUL_EVENTS", 213).at(link));
      reads.add(count("DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS", 214).at(link));
      reads.add(count("DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_EVENTS", 215).at(link));
      reads.add(count("gpu_nvlink_links", 165).at(link).as(Kind.STATE).within(0, 2));
    }
  }

  private static void pcieErrors(List<FieldRead> reads) {
    String[] kinds = {
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
    reads.add(FieldRead.of("gpu_pcie_errors_total", 169, 1, "error", "l0_to_recovery"));
    for (int i = 0; i < kinds.length; i++) {
      reads.add(FieldRead.of("gpu_pcie_errors_total", 174 + i, 1, "error", kinds[i]));
    }
  }

  private static void extended(List<FieldRead> reads) {
    reads.add(FieldRead.of("DCGM_FI_DEV_POWER_USAGE_INSTANT", 186, MILLI).within(0, MOST_WATTS));
    reads.add(FieldRead.of("gpu_power_module_watts", 186, MILLI).at(1).within(0, MOST_WATTS));
    reads.add(count("DCGM_FI_DEV_LOW_UTIL_VIOLATION", 78));
  }

  private static void settings(List<FieldRead> reads) {
    reads.add(count("DCGM_FI_DEV_C2C_LINK_COUNT", 170).within(0, 0xff));
    String[] limits = {"shutdown", "slowdown", "memory", "gpu"};
    for (int i = 0; i < limits.length; i++) {
      reads.add(
          FieldRead.of("gpu_temperature_tlimit_celsius", 193 + i, 1, "limit", limits[i])
              .within(-MOST_CELSIUS, MOST_CELSIUS));
    }
  }

  /** State and errors of a link; NVLink 5 and newer count other errors than the links before. */
  private static void linkHealth(List<FieldRead> reads, int link, String name) {
    reads.add(FieldRead.of("gpu_nvlink_state", 165, 1, "nvlink", name).at(link).within(0, 0xff));
    reads.add(error(161, "replay", name).at(link));
    reads.add(error(162, "recovery", name).at(link));
    reads.add(error(163, "crc", name).at(link));
    reads.add(error(215, "recovery", name).at(link).as(Kind.INSTEAD));
    reads.add(error(214, "recovery_failed", name).at(link));
    reads.add(error(208, "receive", name).at(link));
  }

  private static void linkTraffic(List<FieldRead> reads, int link, String name) {
    reads.add(
        FieldRead.of("gpu_nvlink_speed_megabytes_per_second", 164, 1, "nvlink", name).at(link));
    reads.add(FieldRead.of("DCGM_FI_DEV_NVLINK_COUNT_TX_BYTES", 202, 1, "nvlink", name).at(link));
    reads.add(FieldRead.of("DCGM_FI_DEV_NVLINK_COUNT_RX_BYTES", 204, 1, "nvlink", name).at(link));
    traffic(reads, "gpu_nvlink_bytes_total", 138, link, 1.0 / 1024, "tx");
    traffic(reads, "gpu_nvlink_bytes_total", 139, link, 1.0 / 1024, "rx");
  }

  private static FieldRead error(int field, String kind, String link) {
    return FieldRead.of("gpu_nvlink_errors_total", field, 1, "error", kind, "nvlink", link);
  }

  private static void traffic(
      List<FieldRead> reads, String metric, int field, int scope, double divisor, String way) {
    FieldRead read =
        scope > 0 || metric.contains("nvlink") && scope == 0
            ? FieldRead.of(
                metric, field, divisor, "direction", way, "nvlink", Integer.toString(scope))
            : FieldRead.of(metric, field, divisor, "direction", way);
    reads.add(read.at(scope).as(Kind.TRAFFIC));
  }

  private static FieldRead count(String metric, int field) {
    return FieldRead.of(metric, field, 1);
  }

  private static FieldRead seconds(int field, String reason) {
    return FieldRead.of("gpu_clock_event_seconds_total", field, NANOS, "reason", reason);
  }
}

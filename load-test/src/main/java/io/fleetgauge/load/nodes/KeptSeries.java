package io.fleetgauge.load.nodes;

import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuMetric;
import io.fleetgauge.sample.gpu.GpuMetrics;
import io.fleetgauge.sample.gpu.Tier;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Which series of GPUs simulated nodes keep, so that a fleet fits on one machine: what dashboards
 * and alerts ask for, as a site would choose with {@code relabelling}; or what detectors of faults
 * need.
 */
final class KeptSeries {
  static final Predicate<Labels> OF_DASHBOARDS = KeptSeries::isOfDashboards;
  static final Predicate<Labels> OF_DETECTORS = KeptSeries::isOfDetectors;

  private static final Set<String> METRICS = Set.copyOf(Signal.metrics());
  private static final Pattern LEFT_OUT =
      Pattern.compile(
          "DCGM_FI_DEV_CLOCKS_EVENT_REASON_.*|DCGM_FI_DEV_.*_VIOLATION|DCGM_FI_PROF_(NV(DEC|JPG|OFA)|C2C).*"
              + "|DCGM_FI_PROF_PIPE_(INT|TENSOR_.*)_ACTIVE|DCGM_FI_DEV_(MAX_|POWER_MGMT_LIMIT).*"
              + "|DCGM_FI_DEV_NVLINK_(TX|RX)_BANDWIDTH_TOTAL|DCGM_FI_DEV_NVLINK_(CRC|ECC)_.*"
              + "|DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_(HIGH|PARTIAL)|DCGM_FI_DEV_BAR1_.*"
              + "|DCGM_FI_DEV_(VIDEO_CLOCK|FB_USED_PERCENT|POWER_USAGE_INSTANT|C2C_LINK_COUNT)"
              + "|DCGM_FI_DEV_(FABRIC_HEALTH_MASK|PCIE_CORRECTABLE_ERROR_TOTAL|ECC_CURRENT)"
              + "|DCGM_FI_DEV_(MEM_MAX_OP_TEMP|SHUTDOWN_TEMP|MIG_MODE|GPU_MAX_OP_TEMP|PERSISTENCE_MODE|THRESHOLD_SRM)"
              + "|gpu_(pcie_errors_total|ecc_errors_total|jpg_.*|ofa_.*|ecc_pending|mig_pending)"
              + "|gpu_(temperature_tlimit_celsius|fabric_health_summary|energy_joules_total)"
              + "|gpu_probe_(dropped_values_total|clamped_ratios_total|kernel_lines_total)");

  /** Codes whose counters are kept from 0; others are shown once they are reported. */
  private static final Set<String> CODES = Set.of("48", "64", "74", "79", "95", "109", "119");

  private static final Set<String> CALLS = Set.of("fields", "power");
  private static final Set<String> REASONS =
      Set.of("power_cap", "sw_thermal", "hw_thermal", "hw_power_brake");

  private KeptSeries() {}

  private static boolean isOfDetectors(Labels series) {
    String metric = series.metric();
    return METRICS.contains(metric)
        && switch (metric) {
          case "gpu_xid_total", "gpu_clock_event_seconds_total", "gpu_processes" ->
              isOfDashboards(series);
          // Of links the detectors need errors and states, and of a GPU the bytes of all its links.
          case "gpu_nvlink_bytes_total" -> series.value("nvlink").isEmpty();
          default -> true;
        };
  }

  private static boolean isOfDashboards(Labels series) {
    String metric = series.metric();
    return switch (metric) {
      case "gpu_xid_total" ->
          CODES.contains(series.value("xid")) || !isCritical(series.value("xid"));
      case "gpu_clock_event_active", "gpu_clock_event_seconds_total" ->
          REASONS.contains(series.value("reason"));
      case "gpu_processes" -> series.value("kind").equals("compute");
      // Dashboards and alerts ask for the sums of a GPU; its links would be half of all series.
      case "gpu_nvlink_state", "gpu_nvlink_errors_total" -> false;
      case "gpu_nvlink_links" -> !series.value("state").equals("sleep");
      case "gpu_probe_supported" -> isCore(series.value("metric"));
      case "gpu_probe_call_errors_total" -> !series.value("code").equals("3");
      default ->
          metric.startsWith("gpu_probe_call_seconds")
              ? CALLS.contains(series.value("call"))
              : !LEFT_OUT.matcher(metric).matches();
    };
  }

  private static boolean isCore(String metric) {
    return GpuMetrics.find(metric).map(GpuMetric::tier).orElse(Tier.LINK) == Tier.CORE
        && !LEFT_OUT.matcher(metric).matches();
  }

  /** Codes that begin at 0 and that no simulated fault reports. */
  private static boolean isCritical(String code) {
    return !Set.of("13", "31", "43", "45", "63", "94", "154").contains(code);
  }
}

package io.fleetgauge.probe.gpu.reading;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.gpu.GpuMetric;
import io.fleetgauge.sample.gpu.GpuMetric.Entity;
import io.fleetgauge.sample.gpu.GpuMetrics;
import io.fleetgauge.sample.gpu.Tier;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class GpuTablesTest {
  /** Metrics of a tier that a reading does not read, and why. */
  private static final Map<String, String> ELSEWHERE =
      Map.ofEntries(
          Map.entry("DCGM_FI_DEV_PCIE_TX_THROUGHPUT", "blocks for 20 ms inside the call"),
          Map.entry("DCGM_FI_DEV_PCIE_RX_THROUGHPUT", "blocks for 20 ms inside the call"),
          Map.entry("DCGM_EXP_CLOCK_EVENTS_COUNT", "a window; the counter is better"),
          Map.entry("DCGM_EXP_XID_ERRORS_COUNT", "a window; the counter is better"),
          Map.entry("DCGM_EXP_GPU_HEALTH_STATUS", "rules of DCGM"),
          Map.entry("DCGM_EXP_P2P_STATUS", "a series for each pair of GPUs"),
          Map.entry("DCGM_FI_DEV_VGPU_LICENSE_STATUS", "a guest with a vGPU"),
          Map.entry("DCGM_FI_DEV_XID_ERRORS", "from events and the kernel log"),
          Map.entry("gpu_xid_total", "from events and the kernel log"),
          Map.entry("gpu_xid_last_timestamp_seconds", "from events and the kernel log"),
          Map.entry("gpu_info", "when GPUs are enumerated"),
          Map.entry("gpu_allocated", "of the owners of GPUs"),
          Map.entry("gpu_allocation_info", "of the owners of GPUs"),
          Map.entry("gpu_process_memory_bytes", "of the owners of processes"),
          Map.entry("gpu_process_utilization_ratio", "of the owners of processes"),
          Map.entry("gpu_container_memory_bytes", "of the owners of processes"),
          Map.entry("gpu_container_utilization_ratio", "of the owners of processes"),
          Map.entry("gpu_pod_memory_bytes", "of the owners of processes"),
          Map.entry("gpu_pod_utilization_ratio", "of the owners of processes"),
          Map.entry("gpu_job_memory_bytes", "of the owners of processes"),
          Map.entry("gpu_job_utilization_ratio", "of the owners of processes"),
          Map.entry("gpu_unowned_processes", "of the owners of processes"),
          Map.entry("gpu_unowned_memory_bytes", "of the owners of processes"),
          Map.entry("used_gpu_memory", "of the owners of processes"),
          Map.entry("gpu_owner_cpu_seconds_total", "of the owners of processes"),
          Map.entry("gpu_owner_io_bytes_total", "of the owners of processes"),
          Map.entry("gpu_owner_blocked_processes", "of the owners of processes"),
          Map.entry("gpu_nccl_operations_total", "of NCCL"),
          Map.entry("gpu_nccl_rank", "of NCCL"),
          Map.entry("gpu_nccl_ranks", "of NCCL"),
          Map.entry("gpu_nccl_ranks_missing", "of NCCL"),
          Map.entry("nccl_bus_bandwidth_bytes_per_second", "of NCCL"),
          Map.entry("gpu_lost", "of the reading itself"),
          Map.entry("gpu_probe_sample_age_seconds", "of the reading itself"),
          Map.entry("gpu_probe_supported", "of the reading itself"),
          Map.entry("gpu_probe_denied", "of the reading itself"));

  @Test
  void everyMetricOfATierThatTheDriverGivesIsRead() {
    Set<String> read = new TreeSet<>(tiers().keySet());
    Set<String> wanted = new TreeSet<>();
    for (GpuMetric metric : GpuMetrics.all()) {
      if (!metric.entities().contains(Entity.PROBE)) {
        wanted.add(metric.name());
      }
    }
    wanted.removeAll(ELSEWHERE.keySet());
    wanted.removeIf(name -> name.startsWith("gpu_recent_")); // of the windows of faults
    assertThat(read).isEqualTo(wanted);
  }

  @Test
  void everyMetricIsReadInTheTierThatTheTableGivesIt() {
    tiers()
        .forEach(
            (name, tiers) -> {
              Tier ofTable = GpuMetrics.of(name).tier();
              // Bytes of NVLinks are read for all links at once, and one by one on request.
              Set<Tier> more = name.equals("gpu_nvlink_bytes_total") ? Set.of(Tier.LINK) : Set.of();
              assertThat(tiers).as(name).contains(ofTable);
              tiers.removeAll(more);
              assertThat(tiers).as(name).containsExactly(ofTable);
            });
  }

  /** What is read, and in which tiers. */
  private static Map<String, Set<Tier>> tiers() {
    Map<String, Set<Tier>> tiers = new TreeMap<>();
    for (GpuCall ask : GpuCalls.OF_GPU) {
      ask.values().forEach(value -> put(tiers, value.metric(), ask.tier()));
    }
    for (GpuCall ask : GpuCalls.OF_INSTANCE) {
      ask.values().forEach(value -> put(tiers, value.metric(), ask.tier()));
    }
    for (Tier tier : Tier.values()) {
      for (FieldRead read : GpuFields.of(tier, 18, LinkSeries.ALL)) {
        put(tiers, read.metric(), tier);
      }
    }
    for (Profiling.Gpm gpm : Profiling.TABLE) {
      put(tiers, gpm.metric(), gpm.metric().tier());
    }
    for (Tier tier : new Tier[] {Tier.CORE, Tier.LINK}) {
      for (FieldRead read : GpuFields.of(tier, 18, LinkSeries.ALL)) {
        if (read.kind() == FieldRead.Kind.TRAFFIC) {
          Traffic.metrics(read).stream()
              .map(GpuMetrics::of)
              .filter(metric -> !metric.equals(read.metric()))
              .forEach(metric -> put(tiers, metric, metric.tier()));
        }
      }
    }
    for (int link = 0; link < 18; link++) {
      for (String way : List.of("TX", "RX")) {
        String name = "DCGM_FI_PROF_NVLINK_L" + link + "_" + way + "_BYTES";
        put(tiers, GpuMetrics.of(name), Tier.LINK);
      }
    }
    put(tiers, GpuProcessReader.METRIC, Tier.CORE);
    for (GpuMetric metric : FabricReading.METRICS) {
      put(tiers, metric, Tier.HEALTH);
    }
    return tiers;
  }

  private static void put(Map<String, Set<Tier>> tiers, GpuMetric metric, Tier tier) {
    tiers.computeIfAbsent(metric.name(), name -> new TreeSet<>()).add(tier);
  }
}

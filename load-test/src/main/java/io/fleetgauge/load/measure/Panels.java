package io.fleetgauge.load.measure;

import io.fleetgauge.load.system.Connection;
import io.fleetgauge.load.system.Connection.Answer;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The panels of a fleet's dashboards: instant ones, and graphs over one and six hours. */
final class Panels {
  private static final long HOUR = 3_600;

  /**
   * A panel.
   *
   * @param length of the graph, seconds; 0 for an instant
   * @param step of the graph, seconds
   */
  record Panel(String title, String text, long length, long step) {
    boolean isInstant() {
      return length == 0;
    }

    String window() {
      return isInstant() ? "instant" : length / HOUR + " h / " + step + " s";
    }

    /**
     * The request.
     *
     * @param end of the window, seconds since the epoch
     */
    String path(long end) {
      String query = URLEncoder.encode(text, StandardCharsets.UTF_8);
      if (isInstant()) {
        return "/api/v1/query?query=" + query + "&time=" + end;
      }
      long to = end / step * step;
      return "/api/v1/query_range?query=%s&start=%d&end=%d&step=%d"
          .formatted(query, to - length, to, step);
    }

    /**
     * Duration of an answer, ms.
     *
     * @param more parameters, each with its separator
     */
    double ask(Connection connection, long end, String more, String... headers) throws IOException {
      String path = path(end) + more;
      long begin = System.nanoTime();
      Answer answer = connection.get(path, headers);
      double millis = (System.nanoTime() - begin) / 1e6;
      if (answer.status() != 200) {
        throw new IOException(text + " has the response " + answer.status() + ": " + answer.text());
      }
      return millis;
    }
  }

  static final List<Panel> ALL = all();

  private Panels() {}

  private static List<Panel> all() {
    List<Panel> all = new ArrayList<>();
    instant(all, "hosts", "count(node_load1)");
    instant(all, "GPUs", "count(DCGM_FI_DEV_GPU_UTIL)");
    instant(all, "utilization", "avg(DCGM_FI_DEV_GPU_UTIL)");
    instant(all, "power", "sum(DCGM_FI_DEV_POWER_USAGE)");
    instant(all, "hottest GPU", "max(DCGM_FI_DEV_GPU_TEMP)");
    instant(all, "memory used", "sum(DCGM_FI_DEV_FB_USED) / sum(DCGM_FI_DEV_FB_TOTAL)");
    instant(all, "GPUs by tenant", "count by (tenant) (DCGM_FI_DEV_GPU_UTIL)");
    instant(all, "utilization by tenant", "avg by (tenant) (DCGM_FI_DEV_GPU_UTIL)");
    instant(all, "power by rack", "sum by (rack) (DCGM_FI_DEV_POWER_USAGE)");
    instant(all, "temperature by rack", "max by (rack) (DCGM_FI_DEV_GPU_TEMP)");
    instant(all, "memory by job", "topk(20, sum by (job) (DCGM_FI_DEV_FB_USED))");
    instant(all, "hottest GPUs", "topk(10, DCGM_FI_DEV_GPU_TEMP)");
    instant(all, "busiest hosts", "topk(10, avg by (Hostname) (DCGM_FI_DEV_GPU_UTIL))");
    instant(all, "throttled GPUs", "count(DCGM_FI_DEV_CLOCK_THROTTLE_REASONS > 0)");
    instant(all, "median clock", "quantile(0.5, DCGM_FI_DEV_SM_CLOCK)");
    instant(
        all, "idle but allocated", "count by (tenant) (DCGM_FI_DEV_GPU_UTIL{tenant!=\"\"} < 5)");
    instant(all, "XIDs", "sum by (Hostname) (DCGM_FI_DEV_XID_ERRORS) > 0");
    instant(all, "new ECC errors", "sum by (rack) (increase(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[1h]))");
    instant(
        all,
        "energy by tenant",
        "sum by (tenant) (increase(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[5m]))");
    instant(
        all,
        "fullest disks",
        "topk(10, 1 - node_filesystem_avail_bytes / node_filesystem_size_bytes)");
    instant(
        all,
        "memory pressure",
        "bottomk(10, node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes)");
    instant(
        all,
        "stragglers",
        "DCGM_FI_PROF_SM_ACTIVE < on (job) group_left () (0.8 * quantile by (job) (0.5,"
            + " DCGM_FI_PROF_SM_ACTIVE))");
    instant(all, "one host", "avg by (gpu) (DCGM_FI_DEV_GPU_UTIL{Hostname=\"gpu-node-01\"})");

    hour(all, "utilization", "avg(DCGM_FI_DEV_GPU_UTIL)", 15);
    hour(all, "utilization by rack", "avg by (rack) (DCGM_FI_DEV_GPU_UTIL)", 15);
    hour(all, "utilization by job", "avg by (job) (DCGM_FI_DEV_GPU_UTIL)", 15);
    hour(all, "power by tenant", "sum by (tenant) (DCGM_FI_DEV_POWER_USAGE)", 15);
    hour(all, "temperature by rack", "max by (rack) (DCGM_FI_DEV_GPU_TEMP)", 15);
    hour(all, "memory by tenant", "sum by (tenant) (DCGM_FI_DEV_FB_USED)", 15);
    hour(
        all,
        "NVLink by rack",
        "sum by (rack) (avg_over_time(DCGM_FI_PROF_NVLINK_TX_BYTES[5m]))",
        15);
    hour(all, "ECC errors by rack", "sum by (rack) (rate(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[5m]))", 15);
    hour(all, "tensor cores by job", "avg by (job) (DCGM_FI_PROF_PIPE_TENSOR_ACTIVE)", 30);
    hour(all, "GPUs of a host", "DCGM_FI_DEV_GPU_UTIL{Hostname=\"gpu-node-01\"}", 15);
    hour(all, "clock, 5th percentile", "quantile(0.05, DCGM_FI_DEV_SM_CLOCK)", 30);
    hour(
        all,
        "CPU by host",
        "1 - avg by (instance) (rate(node_cpu_seconds_total{mode=\"idle\"}[5m]))",
        15);
    hour(
        all,
        "network by host",
        "sum by (instance) (rate(node_network_receive_bytes_total[5m]))",
        15);
    hour(all, "load by rack", "avg by (rack) (node_load1)", 15);

    sixHours(all, "utilization by tenant", "avg by (tenant) (DCGM_FI_DEV_GPU_UTIL)", 60);
    sixHours(all, "power", "sum(DCGM_FI_DEV_POWER_USAGE)", 60);
    sixHours(
        all,
        "energy by tenant",
        "sum by (tenant) (increase(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[5m]))",
        60);
    sixHours(all, "temperature, 95th percentile", "quantile(0.95, DCGM_FI_DEV_GPU_TEMP)", 60);
    sixHours(
        all,
        "smoothed utilization by rack",
        "avg by (rack) (avg_over_time(DCGM_FI_DEV_GPU_UTIL[10m]))",
        60);
    sixHours(
        all,
        "PCIe replays by tenant",
        "sum by (tenant) (rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[10m]))",
        60);
    sixHours(all, "memory by rack", "sum by (rack) (DCGM_FI_DEV_FB_USED)", 15);
    return List.copyOf(all);
  }

  private static void instant(List<Panel> all, String title, String text) {
    all.add(new Panel(title, text, 0, 0));
  }

  private static void hour(List<Panel> all, String title, String text, long step) {
    all.add(new Panel(title, text, HOUR, step));
  }

  private static void sixHours(List<Panel> all, String title, String text, long step) {
    all.add(new Panel(title, text, 6 * HOUR, step));
  }
}

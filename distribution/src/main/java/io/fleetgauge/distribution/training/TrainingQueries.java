package io.fleetgauge.distribution.training;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Requests of dashboards, scrapers and other clients to a query API in its first minute. */
final class TrainingQueries {
  /** Refreshes of a dashboard, each time with its window moved. */
  private static final int ROUNDS = 6;

  private static final int STEP = 15;
  private static final int HOUR = 3_600;

  private static final List<String> INSTANT =
      List.of(
          "count(node_load1)",
          "avg(DCGM_FI_DEV_GPU_UTIL)",
          "sum(DCGM_FI_DEV_FB_USED) / sum(DCGM_FI_DEV_FB_TOTAL)",
          "count by (tenant) (DCGM_FI_DEV_GPU_UTIL)",
          "sum by (rack) (DCGM_FI_DEV_POWER_USAGE)",
          "max by (rack) (DCGM_FI_DEV_GPU_TEMP)",
          "topk(10, DCGM_FI_DEV_GPU_TEMP)",
          "bottomk(5, node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes)",
          "count(DCGM_FI_DEV_GPU_UTIL > 50)",
          "quantile(0.5, DCGM_FI_DEV_SM_CLOCK)",
          "count by (tenant) (DCGM_FI_DEV_GPU_UTIL{tenant!=\"\"} < 5)",
          "sum by (Hostname) (DCGM_FI_DEV_XID_ERRORS) > 0",
          "sum by (rack) (increase(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[1h]))",
          "1 - node_filesystem_avail_bytes / node_filesystem_size_bytes",
          "DCGM_FI_PROF_SM_ACTIVE < on (job) group_left () (0.8 * quantile by (job) (0.5,"
              + " DCGM_FI_PROF_SM_ACTIVE))",
          "avg by (gpu) (DCGM_FI_DEV_GPU_UTIL{Hostname=\"gpu-node-0001\"})",
          "max_over_time(DCGM_FI_DEV_GPU_TEMP{Hostname=~\"gpu-node-000[12]\"}[10m])",
          "absent(up)",
          "label_replace(node_load1, \"node\", \"$1\", \"Hostname\", \"(.*)\")",
          "sort_desc(stddev by (job) (DCGM_FI_DEV_GPU_UTIL))");

  private static final List<String> RANGE =
      List.of(
          "avg(DCGM_FI_DEV_GPU_UTIL)",
          "avg by (rack) (DCGM_FI_DEV_GPU_UTIL)",
          "avg by (job) (DCGM_FI_DEV_GPU_UTIL)",
          "sum by (tenant) (DCGM_FI_DEV_POWER_USAGE)",
          "max by (rack) (DCGM_FI_DEV_GPU_TEMP)",
          "sum by (rack) (rate(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[5m]))",
          "DCGM_FI_DEV_GPU_UTIL{Hostname=\"gpu-node-0001\"}",
          "quantile(0.05, DCGM_FI_DEV_SM_CLOCK)",
          "1 - avg by (instance) (rate(node_cpu_seconds_total{mode=\"idle\"}[5m]))",
          "avg by (rack) (node_load1)",
          "sum by (tenant) (increase(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[5m]))",
          "quantile(0.95, DCGM_FI_DEV_GPU_TEMP)",
          "avg by (rack) (avg_over_time(DCGM_FI_DEV_GPU_UTIL[10m]))",
          "sum by (tenant) (rate(DCGM_FI_DEV_POWER_VIOLATION[10m]))",
          "sum by (tenant) (DCGM_FI_DEV_GPU_UTIL) / count by (tenant) (DCGM_FI_DEV_GPU_UTIL)",
          "topk(5, sum by (job) (DCGM_FI_DEV_FB_USED))");

  private TrainingQueries() {}

  /**
   * Requests as paths.
   *
   * @param end newest sample, seconds since the epoch
   */
  static List<String> paths(long end) {
    List<String> paths = new ArrayList<>();
    paths.add("/api/v1/status/buildinfo");
    for (int round = 0; round < ROUNDS; round++) {
      long time = end - (ROUNDS - round) * STEP;
      // Each panel with the cache of results and without.
      for (String cache : List.of("", "&nocache=1")) {
        for (String text : INSTANT) {
          paths.add("/api/v1/query?query=" + encode(text) + "&time=" + time + cache);
        }
        for (String text : RANGE) {
          paths.add(
              "/api/v1/query_range?query=%s&start=%d&end=%d&step=%d%s"
                  .formatted(encode(text), time - HOUR + 300, time, STEP, cache));
        }
      }
      if (round % 3 == 0) {
        paths.add("/federate?match%5B%5D=" + encode("{__name__!=\"\"}"));
        paths.add("/api/v1/labels");
        paths.add("/api/v1/label/Hostname/values");
        paths.add("/api/v1/label/__name__/values");
        paths.add("/api/v1/series?match%5B%5D=" + encode("{Hostname=\"gpu-node-0001\"}"));
        paths.add("/api/v1/metadata");
        paths.add("/api/v1/targets");
        paths.add("/api/v1/explain?query=" + encode(RANGE.getFirst()));
      }
    }
    return paths;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}

package io.fleetgauge.load.measure;

import java.util.List;

/** The panels of a fleet's dashboard. */
final class Dashboard {
  /** The metrics that the panels read. */
  static final List<String> METRICS =
      List.of(
          "DCGM_FI_DEV_GPU_UTIL",
          "DCGM_FI_DEV_POWER_USAGE",
          "DCGM_FI_DEV_GPU_TEMP",
          "DCGM_FI_DEV_FB_USED",
          "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
          "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
          "DCGM_FI_DEV_NVLINK_COUNT_TX_BYTES",
          "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
          "DCGM_FI_DEV_SM_CLOCK",
          "node_load1");

  static final List<Panel> PANELS =
      List.of(
          new Panel("avg utilisation by rack", true, "avg by (rack) (DCGM_FI_DEV_GPU_UTIL)"),
          new Panel("power by tenant", true, "sum by (tenant) (DCGM_FI_DEV_POWER_USAGE)"),
          new Panel("max temperature by rack", true, "max by (rack) (DCGM_FI_DEV_GPU_TEMP)"),
          new Panel("memory by job", true, "sum by (job) (DCGM_FI_DEV_FB_USED)"),
          new Panel(
              "energy by job",
              true,
              "sum by (job) (increase(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[5m]))"),
          new Panel(
              "ECC errors by rack",
              true,
              "sum by (rack) (rate(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[5m]))"),
          new Panel(
              "NVLink by rack",
              true,
              "sum by (rack) (rate(DCGM_FI_DEV_NVLINK_COUNT_TX_BYTES[5m]))"),
          new Panel("hottest GPUs", false, "topk(10, DCGM_FI_DEV_GPU_TEMP)"),
          new Panel("throttling GPUs", false, "count(DCGM_FI_DEV_CLOCK_THROTTLE_REASONS > 0)"),
          new Panel("median SM clock", false, "quantile(0.5, DCGM_FI_DEV_SM_CLOCK)"),
          new Panel(
              "idle but allocated",
              false,
              "count by (tenant) (DCGM_FI_DEV_GPU_UTIL{tenant!=\"\"} < 5)"),
          new Panel("hosts up", true, "count(node_load1)"));

  /**
   * A panel.
   *
   * @param rewritten whether rollups serve it
   */
  record Panel(String title, boolean rewritten, String query) {}

  /** A window: its length and its step, seconds. */
  record Window(String name, long length, long step) {}

  static final List<Window> WINDOWS =
      List.of(new Window("1 h at 15 s", 3_600, 15), new Window("6 h at 60 s", 21_600, 60));

  private Dashboard() {}
}

package io.fleetgauge.probe.gpu;

import static io.fleetgauge.probe.gpu.GpuFixture.of;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fleetgauge.probe.nvml.StandIn;
import io.fleetgauge.sample.Tick;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Real cards, played by the stand-in driver: readings agree with what nvidia-smi told there. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CardsTest {
  /**
   * A reading of nvidia-smi.
   *
   * @param raw what its value is multiplied by to be what the driver gives
   * @param series what the probe makes of it
   * @param unit what its value is multiplied by to be in the unit of the series
   */
  private record Fact(String reading, String key, double raw, String series, double unit) {}

  private static final double MIB = 1 << 20;

  private static final List<Fact> FACTS = facts();

  private StandIn driver;

  @BeforeAll
  void build(@TempDir Path folder) throws Exception {
    driver = new StandIn(folder);
  }

  private static List<Fact> facts() {
    List<Fact> facts = new ArrayList<>();
    fact(facts, "clocks_current_sm_clock_hz", "clock.1", 1e-6, "DCGM_FI_DEV_SM_CLOCK", 1e-6);
    fact(facts, "clocks_current_memory_clock_hz", "clock.2", 1e-6, "DCGM_FI_DEV_MEM_CLOCK", 1e-6);
    fact(facts, "clocks_current_video_clock_hz", "clock.3", 1e-6, "DCGM_FI_DEV_VIDEO_CLOCK", 1e-6);
    fact(facts, "clocks_max_sm_clock_hz", "max_clock.1", 1e-6, "DCGM_FI_DEV_MAX_SM_CLOCK", 1e-6);
    fact(
        facts,
        "clocks_max_memory_clock_hz",
        "max_clock.2",
        1e-6,
        "DCGM_FI_DEV_MAX_MEM_CLOCK",
        1e-6);
    fact(
        facts,
        "clocks_event_reasons_active",
        "reasons",
        1,
        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
        1);
    reason(facts, "gpu_idle", "gpu_idle");
    reason(facts, "sw_power_cap", "power_cap");
    reason(facts, "hw_slowdown", "hw_slowdown");
    reason(facts, "sw_thermal_slowdown", "sw_thermal");
    reason(facts, "hw_thermal_slowdown", "hw_thermal");
    reason(facts, "hw_power_brake_slowdown", "hw_power_brake");
    held(facts, "sw_power_cap", 74, "power_cap");
    held(facts, "sync_boost", 76, "sync_boost");
    held(facts, "sw_thermal_slowdown", 269, "sw_thermal");
    held(facts, "hw_thermal_slowdown", 270, "hw_thermal");
    held(facts, "hw_power_brake_slowdown", 271, "hw_power_brake");
    same(facts, "compute_apps", "compute_processes", "gpu_processes{kind=\"compute\"}");
    ecc(facts, "corrected", "SBE", 0, 3);
    ecc(facts, "uncorrected", "DBE", 1, 4);
    same(
        facts,
        "ecc_errors_uncorrected_aggregate_sram_threshold_exceeded",
        "sram_exceeded",
        "DCGM_FI_DEV_THRESHOLD_SRM");
    same(facts, "ecc_mode_current", "ecc", "DCGM_FI_DEV_ECC_CURRENT");
    same(facts, "ecc_mode_pending", "ecc_pending", "gpu_ecc_pending");
    same(facts, "mig_mode_current", "mig", "DCGM_FI_DEV_MIG_MODE");
    same(facts, "mig_mode_pending", "mig_pending", "gpu_mig_pending");
    same(facts, "fabric_state", "fabric_state", "DCGM_FI_DEV_FABRIC_MANAGER_STATUS");
    fact(facts, "fan_speed_ratio", "fan", 100, "DCGM_FI_DEV_FAN_SPEED", 100);
    same(facts, "gpu_recovery_action", "field.230", "DCGM_FI_DEV_GPU_RECOVERY_ACTION");
    fact(facts, "memory_total_bytes", "total", 1, "DCGM_FI_DEV_FB_TOTAL", 1 / MIB);
    fact(facts, "memory_reserved_bytes", "reserved", 1, "DCGM_FI_DEV_FB_RESERVED", 1 / MIB);
    fact(facts, "memory_used_bytes", "used", 1, "DCGM_FI_DEV_FB_USED", 1 / MIB);
    same(facts, "pcie_link_gen_current", "generation", "DCGM_FI_DEV_PCIE_LINK_GEN");
    same(facts, "pcie_link_gen_max", "max_generation", "DCGM_FI_DEV_PCIE_MAX_LINK_GEN");
    same(facts, "pcie_link_width_current", "width", "DCGM_FI_DEV_PCIE_LINK_WIDTH");
    same(facts, "pcie_link_width_max", "max_width", "DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH");
    same(facts, "persistence_mode", "persistence", "DCGM_FI_DEV_PERSISTENCE_MODE");
    watts(facts, "power_draw_watts", "power", "DCGM_FI_DEV_POWER_USAGE");
    watts(facts, "power_draw_instant_watts", "field.186", "DCGM_FI_DEV_POWER_USAGE_INSTANT");
    watts(
        facts, "enforced_power_limit_watts", "limit_enforced", "DCGM_FI_DEV_ENFORCED_POWER_LIMIT");
    watts(facts, "power_limit_watts", "limit", "DCGM_FI_DEV_POWER_MGMT_LIMIT");
    watts(facts, "power_default_limit_watts", "limit_default", "DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF");
    watts(facts, "power_min_limit_watts", "limit_min", "DCGM_FI_DEV_POWER_MGMT_LIMIT_MIN");
    watts(facts, "power_max_limit_watts", "limit_max", "DCGM_FI_DEV_POWER_MGMT_LIMIT_MAX");
    same(facts, "pstate", "pstate", "DCGM_FI_DEV_PSTATE");
    same(facts, "remapped_rows_correctable", "field.142", "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS");
    same(
        facts,
        "remapped_rows_uncorrectable",
        "field.143",
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS");
    same(facts, "remapped_rows_pending", "field.144", "DCGM_FI_DEV_ROW_REMAP_PENDING");
    same(facts, "remapped_rows_failure", "field.145", "DCGM_FI_DEV_ROW_REMAP_FAILURE");
    String[] banks = {"max", "high", "partial", "low", "none"};
    for (int i = 0; i < banks.length; i++) {
      String metric =
          "DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_" + banks[i].toUpperCase(java.util.Locale.ROOT);
      same(facts, "remapped_rows_histogram_" + banks[i], "banks." + i, metric);
    }
    same(facts, "temperature_gpu", "celsius", "DCGM_FI_DEV_GPU_TEMP");
    same(facts, "temperature_gpu_tlimit", "margin", "DCGM_FI_DEV_GPU_TEMP_LIMIT");
    same(facts, "temperature_memory", "field.82", "DCGM_FI_DEV_MEMORY_TEMP");
    fact(facts, "utilization_gpu_ratio", "gpu_percent", 100, "DCGM_FI_DEV_GPU_UTIL", 100);
    fact(
        facts, "utilization_memory_ratio", "memory_percent", 100, "DCGM_FI_DEV_MEM_COPY_UTIL", 100);
    fact(facts, "utilization_encoder_ratio", "encoder_percent", 100, "DCGM_FI_DEV_ENC_UTIL", 100);
    fact(facts, "utilization_decoder_ratio", "decoder_percent", 100, "DCGM_FI_DEV_DEC_UTIL", 100);
    fact(facts, "utilization_jpeg_ratio", "jpg_percent", 100, "gpu_jpg_utilization_ratio", 1);
    fact(facts, "utilization_ofa_ratio", "ofa_percent", 100, "gpu_ofa_utilization_ratio", 1);
    return facts;
  }

  private static void fact(
      List<Fact> facts, String reading, String key, double raw, String series, double unit) {
    facts.add(new Fact(reading, key, raw, series, unit));
  }

  private static void same(List<Fact> facts, String reading, String key, String series) {
    fact(facts, reading, key, 1, series, 1);
  }

  private static void watts(List<Fact> facts, String reading, String key, String series) {
    fact(facts, reading, key, 1000, series, 1);
  }

  private static void reason(List<Fact> facts, String reading, String reason) {
    String series = "gpu_clock_event_active{reason=\"" + reason + "\"}";
    fact(facts, "clocks_event_reasons_" + reading, "", 1, series, 1);
  }

  private static void held(List<Fact> facts, String reading, int field, String reason) {
    String series = "gpu_clock_event_seconds_total{reason=\"" + reason + "\"}";
    String counter = "clocks_event_reasons_counters_" + reading + "_seconds";
    fact(facts, counter, "field." + field, 1e9, series, 1);
  }

  private static void ecc(List<Fact> facts, String kind, String name, int error, int field) {
    String[] counters = {"volatile", "aggregate"};
    String[] since = {"driver_load", "manufacture"};
    for (int i = 0; i < counters.length; i++) {
      String reading = "ecc_errors_" + kind + "_" + counters[i] + "_";
      String total = "DCGM_FI_DEV_ECC_" + name + (i == 0 ? "_VOL" : "_AGG") + "_TOTAL";
      same(facts, reading + "total", "field." + (field + 2 * i), total);
      String labels = "\", since=\"" + since[i] + "\"}";
      String series = "gpu_ecc_errors_total{error=\"" + kind + "\", memory=\"";
      same(facts, reading + "dram", "ecc." + error + "." + i + ".2", series + "dram" + labels);
      same(facts, reading + "sram", "ecc." + error + "." + i + ".7", series + "sram" + labels);
    }
  }

  static Stream<String> cards() throws IOException {
    return Stream.of(lines().getFirst().split("\t")).skip(1);
  }

  private static List<String> lines() throws IOException {
    try (InputStream in = CardsTest.class.getResourceAsStream("cards.tsv")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .toList();
    }
  }

  private static Map<String, Double> card(String name) throws IOException {
    List<String> lines = lines();
    int column = List.of(lines.getFirst().split("\t")).indexOf(name);
    Map<String, Double> readings = new HashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split("\t");
      if (!cells[column].equals("-")) {
        readings.put(cells[0], Double.parseDouble(cells[column]));
      }
    }
    return readings;
  }

  @ParameterizedTest
  @MethodSource("cards")
  void readingsAgreeWithWhatWasToldOfTheCard(String name) throws Exception {
    Map<String, Double> told = card(name);
    driver.begin(1);
    for (Fact fact : FACTS) {
      Double value = told.get(fact.reading());
      if (value != null && !fact.key().isEmpty()) {
        driver.set(0, fact.key(), Math.rint(value * fact.raw()));
      }
    }
    try (GpuFixture gpus = new GpuFixture(driver)) {
      Tick tick = gpus.read();
      Map<String, Double> read = of(tick, 0);
      Set<String> unsupported = GpuFixture.unsupported(tick, 0);
      for (Fact fact : FACTS) {
        Double value = told.get(fact.reading());
        if (value == null) {
          assertThat(read).doesNotContainKey(fact.series());
          assertThat(unsupported).contains(fact.series().replaceAll("\\{.*", ""));
        } else {
          assertThat(read).containsKey(fact.series());
          double digit = fact.reading().startsWith("memory_") ? 1 : 1e-9;
          assertThat(read.get(fact.series()))
              .as(fact.series())
              .isCloseTo(value * fact.unit(), within(digit));
        }
      }
      double free = told.get("memory_free_bytes") / MIB;
      assertThat(read.get("DCGM_FI_DEV_FB_FREE")).isCloseTo(free, within(2.0));
      assertThat(gpus.report()).noneSatisfy((series, n) -> assertThat(series).contains("dropped"));
    }
  }
}

package io.fleetgauge.probe.gpu;

import static io.fleetgauge.probe.gpu.GpuFixture.of;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fleetgauge.probe.gpu.reading.FullGpu;
import io.fleetgauge.probe.gpu.reading.LinkSeries;
import io.fleetgauge.probe.gpu.snapshot.GpuSnapshot;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.probe.nvml.StandIn;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.GpuMetric;
import io.fleetgauge.sample.gpu.GpuMetrics;
import io.fleetgauge.sample.gpu.Tier;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Against a library with NVML's ABI, through the production binding. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GpuReaderTest {
  private StandIn driver;

  @BeforeAll
  void build(@TempDir Path folder) throws Exception {
    driver = new StandIn(folder);
  }

  @BeforeEach
  void reset() {
    driver.awaitEnd();
    driver.begin(0);
  }

  @Test
  void readingsComeInTheUnitsOfDcgmExporter() throws Exception {
    driver.begin(2);
    Map<String, Double> expected = FullGpu.fill(driver, 1);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      Tick tick = gpus.read();
      assertThat(of(tick, 1)).isEqualTo(expected);
      assertThat(tick.series())
          .filteredOn(labels -> labels.value("gpu").equals("1"))
          .allSatisfy(
              labels -> {
                assertThat(labels.value("UUID"))
                    .isEqualTo("GPU-00000001-1111-2222-3333-444444444444");
                assertThat(labels.value("device")).isEqualTo("nvidia1");
                assertThat(labels.value("modelName")).isEqualTo("Stand-in 1");
                assertThat(labels.value("pci_bus_id")).isEqualTo("00000000:3C:00.0");
              });
      assertThat(gpus.thread.state()).isEmpty();
    }
    driver.awaitEnd();
    assertThat(driver.samples()).isZero();
  }

  @Test
  void theInfoSeriesNamesBoardDriverAndFirmware() throws Exception {
    driver.begin(1);
    driver.set(0, "architecture", 9);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      Labels info =
          gpus.read(EnumSet.of(Tier.CORE)).series().stream()
              .filter(labels -> labels.metric().equals("gpu_info"))
              .findFirst()
              .orElseThrow();
      assertThat(info.value("driver_version")).isEqualTo("590.48.01");
      assertThat(info.value("nvml_version")).isEqualTo("13.590.48.01");
      assertThat(info.value("cuda_version")).isEqualTo("13.1");
      assertThat(info.value("vbios_version")).isEqualTo("96.00.99.00.00");
      assertThat(info.value("serial")).isEqualTo("1650323000");
      assertThat(info.value("architecture")).isEqualTo("hopper");
      assertThat(info.value("UUID")).startsWith("GPU-");
    }
  }

  @Test
  void onlyWhatIsDueIsRead() throws Exception {
    driver.begin(1);
    FullGpu.fill(driver, 0);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      for (Tier tier : Tier.values()) {
        Tick tick = gpus.read(EnumSet.of(tier));
        Set<Tier> read = new TreeSet<>();
        for (Labels labels : tick.series()) {
          read.add(GpuMetrics.of(labels.metric()).tier());
        }
        assertThat(read).isSubsetOf(tier);
        assertThat(tick.size() > 0).isEqualTo(tier != Tier.LINK);
      }
      GpuSnapshot core = gpus.thread.read(EnumSet.of(Tier.CORE), GpuFixture.LIMIT).orElseThrow();
      assertThat(EnumSet.allOf(Tier.class).stream().filter(core::isDue)).containsExactly(Tier.CORE);
    }
  }

  @Test
  void fieldsOfOneTierOfOneGpuAreOneCall() throws Exception {
    driver.begin(1);
    FullGpu.fill(driver, 0);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      long before = gpus.report().get("gpu_probe_call_seconds_count{call=\"fields\"}").longValue();
      gpus.read(EnumSet.of(Tier.CORE));
      gpus.read(EnumSet.of(Tier.HEALTH));
      long after = gpus.report().get("gpu_probe_call_seconds_count{call=\"fields\"}").longValue();
      assertThat(after - before).isEqualTo(2);
    }
  }

  @Test
  void whatAGpuDoesNotSupportGivesNoSampleIsAskedOnceAndSaid() throws Exception {
    driver.begin(1);
    Map<String, Double> expected = FullGpu.fill(driver, 0);
    driver.remove(0, "power");
    driver.remove(0, "field.82");
    expected.remove("DCGM_FI_DEV_POWER_USAGE");
    expected.remove("DCGM_FI_DEV_MEMORY_TEMP");
    try (GpuFixture gpus = new GpuFixture(driver)) {
      for (int i = 0; i < 3; i++) {
        Tick tick = gpus.read();
        assertThat(of(tick, 0)).containsAllEntriesOf(expected);
        assertThat(of(tick, 0))
            .doesNotContainKeys("DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_MEMORY_TEMP");
        assertThat(GpuFixture.unsupported(tick, 0))
            .containsExactly("DCGM_FI_DEV_MEMORY_TEMP", "DCGM_FI_DEV_POWER_USAGE");
      }
      assertThat(gpus.thread.errors())
          .containsExactlyInAnyOrderEntriesOf(
              Map.of(List.of("power", "3"), 1L, List.of("fields", "3"), 1L));
    }
  }

  @Test
  void whatIsDeniedIsSaidAndAskedAgainAfterAWhile() throws Exception {
    driver.begin(1);
    FullGpu.fill(driver, 0);
    driver.answer(0, "ecc_sram", NvmlReturn.NO_PERMISSION);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      String denied = "gpu_probe_denied{metric=\"DCGM_FI_DEV_THRESHOLD_SRM\"}";
      for (int i = 0; i < 3; i++) {
        assertThat(of(gpus.read(), 0))
            .doesNotContainKey("DCGM_FI_DEV_THRESHOLD_SRM")
            .containsEntry(denied, 1.0);
      }
      assertThat(gpus.thread.errors()).containsExactly(Map.entry(List.of("ecc_sram", "4"), 1L));
      driver.answer(0, "ecc_sram", NvmlReturn.SUCCESS);
      gpus.pass(299);
      assertThat(of(gpus.read(), 0)).containsKey(denied);
      gpus.pass(2);
      assertThat(of(gpus.read(), 0))
          .containsEntry("DCGM_FI_DEV_THRESHOLD_SRM", 1.0)
          .doesNotContainKey(denied);
    }
  }

  @Test
  void whatADriverDoesNotKnowAtTheMomentIsAskedAgainAtOnce() throws Exception {
    driver.begin(1);
    FullGpu.fill(driver, 0);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      for (int code : new int[] {6, 10, 16, 17, 19, 21, 27, NvmlReturn.UNKNOWN}) {
        driver.answer(0, "power", code);
        assertThat(of(gpus.read(), 0)).doesNotContainKey("DCGM_FI_DEV_POWER_USAGE");
        driver.answer(0, "power", NvmlReturn.SUCCESS);
        assertThat(of(gpus.read(), 0)).containsKey("DCGM_FI_DEV_POWER_USAGE");
        assertThat(gpus.thread.errors())
            .containsEntry(List.of("power", Integer.toString(code)), 1L);
      }
    }
  }

  @Test
  void anOlderDriverIsReadWithItsOlderCalls(@TempDir Path folder) throws Exception {
    StandIn older = new StandIn(folder, "-DOLD_DRIVER", "-DWITHOUT_ENERGY");
    older.begin(1);
    Map<String, Double> expected = FullGpu.fill(older, 0);
    try (GpuFixture gpus = new GpuFixture(older)) {
      for (int i = 0; i < 2; i++) {
        gpus.pass(1);
        Tick tick = gpus.read();
        Map<String, Double> read = of(tick, 0);
        // What is in use contains what the driver reserves there.
        assertThat(read)
            .containsEntry("DCGM_FI_DEV_FB_TOTAL", 81_559.0)
            .containsEntry("DCGM_FI_DEV_FB_USED", 1_551.0)
            .containsEntry("DCGM_FI_DEV_GPU_TEMP", 64.0)
            .containsEntry("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", 68.0);
        Set<String> missing = new TreeSet<>(expected.keySet());
        missing.removeAll(read.keySet());
        assertThat(missing)
            .containsExactlyInAnyOrder(
                "DCGM_FI_DEV_FB_RESERVED",
                "DCGM_FI_DEV_FB_USED_PERCENT",
                "DCGM_FI_DEV_GPU_TEMP_LIMIT",
                "DCGM_FI_DEV_THRESHOLD_SRM",
                "DCGM_FI_DEV_FABRIC_MANAGER_STATUS",
                "DCGM_FI_DEV_FABRIC_HEALTH_MASK",
                "gpu_fabric_ready{condition=\"completed\"}",
                "gpu_fabric_ready{condition=\"success\"}",
                "gpu_fabric_ready{condition=\"clique\"}",
                "gpu_fabric_ready{condition=\"cluster\"}",
                "gpu_fabric_info{clique_id=\"2\", cluster_uuid=\"" + FullGpu.CLUSTER + "\"}",
                "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
                "gpu_energy_joules_total",
                "gpu_fabric_health_summary",
                "gpu_jpg_utilization_ratio",
                "gpu_ofa_utilization_ratio");
        assertThat(GpuFixture.unsupported(tick, 0))
            .contains("DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION")
            .doesNotContain("DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_FB_USED");
      }
      assertThat(gpus.thread.errors())
          .containsEntry(List.of("energy", "13"), 1L)
          .containsEntry(List.of("memory_v2", "13"), 1L + 1);
    }
  }

  @Test
  void valuesThatCannotBeRightAreDroppedAndCounted() throws Exception {
    driver.begin(1);
    FullGpu.fill(driver, 0);
    driver.set(0, "gpu_percent", 101);
    driver.set(0, "field.82", 4_294_967_295L);
    driver.setBits(0, "energy", -1);
    driver.setBits(0, "used", -1);
    driver.set(0, "clock.1", 4_000_000_000L);
    driver.setBits(0, "field.75", -1);
    driver.set(0, "compute_processes", 3_000_000_000L);
    driver.setBits(0, "reasons", -1);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      Map<String, Double> read = of(gpus.read(EnumSet.of(Tier.CORE)), 0);
      assertThat(read)
          .doesNotContainKeys(
              "DCGM_FI_DEV_GPU_UTIL",
              "DCGM_FI_DEV_MEMORY_TEMP",
              "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
              "gpu_energy_joules_total",
              "DCGM_FI_DEV_FB_USED",
              "DCGM_FI_DEV_SM_CLOCK",
              "gpu_clock_event_seconds_total{reason=\"thermal\"}",
              "gpu_processes{kind=\"compute\"}",
              "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
              "gpu_clock_event_active{reason=\"gpu_idle\"}")
          .containsEntry("DCGM_FI_DEV_MEM_COPY_UTIL", 41.0)
          .containsEntry("DCGM_FI_DEV_FB_TOTAL", 81559.0);
      Map<String, Double> report = gpus.report();
      assertThat(report)
          .containsEntry("gpu_probe_dropped_values_total{call=\"utilization\"}", 1.0)
          .containsEntry("gpu_probe_dropped_values_total{call=\"fields\"}", 2.0)
          .containsEntry("gpu_probe_dropped_values_total{call=\"energy\"}", 2.0)
          .containsEntry("gpu_probe_dropped_values_total{call=\"memory_v2\"}", 1.0)
          .containsEntry("gpu_probe_dropped_values_total{call=\"clock\"}", 1.0)
          .containsEntry("gpu_probe_dropped_values_total{call=\"compute_processes\"}", 1.0)
          .containsEntry("gpu_probe_dropped_values_total{call=\"event_reasons\"}", 10.0);
    }
  }

  @Test
  void aMemoryTemperatureOfZeroIsNone() throws Exception {
    driver.begin(1);
    driver.set(0, "field.82", 0);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(of(gpus.read(), 0)).doesNotContainKey("DCGM_FI_DEV_MEMORY_TEMP");
      assertThat(gpus.report()).noneSatisfy((k, v) -> assertThat(k).contains("dropped"));
    }
  }

  @Test
  void ratesAreOfTheTimeBetweenTwoReadingsAndCountersGoOnAroundTheirWidth() throws Exception {
    driver.begin(1);
    driver.set(0, "field.91", 2);
    driver.set(0, "type.197", 1);
    driver.set(0, "field.197", 4_294_967_000L);
    driver.set(0, "field.138.-1", 1000);
    driver.set(0, "field.139.-1", 5000);
    driver.set(0, "field.140.-1", 2000);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(of(gpus.read(), 0))
          .doesNotContainKeys("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "DCGM_FI_PROF_PCIE_TX_BYTES");
      gpus.pass(10);
      driver.set(0, "field.197", 704);
      driver.set(0, "field.138.-1", 21_000);
      driver.set(0, "field.139.-1", 15_000);
      driver.set(0, "field.140.-1", 12_000);
      assertThat(of(gpus.read(), 0))
          .containsEntry("gpu_pcie_bytes_total{direction=\"tx\"}", 4_294_968_000.0)
          .containsEntry("DCGM_FI_PROF_PCIE_TX_BYTES", 100.0)
          .containsEntry("DCGM_FI_DEV_NVLINK_TX_BANDWIDTH_TOTAL", 2.0)
          .containsEntry("DCGM_FI_DEV_NVLINK_RX_BANDWIDTH_TOTAL", 1.0)
          .containsEntry("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", 3.0)
          .containsEntry("DCGM_FI_PROF_NVLINK_TX_BYTES", 1_024_000.0)
          .containsEntry("gpu_nvlink_bytes_total{direction=\"tx\"}", 21_504_000.0);
      gpus.pass(10);
      driver.set(0, "field.138.-1", 50);
      assertThat(of(gpus.read(), 0))
          .as("the driver began anew")
          .containsEntry("gpu_nvlink_bytes_total{direction=\"tx\"}", 51_200.0)
          .doesNotContainKey("DCGM_FI_DEV_NVLINK_TX_BANDWIDTH_TOTAL");
    }
  }

  @Test
  void everyLinkHasItsSeriesOnRequest() throws Exception {
    driver.begin(1);
    FullGpu.fill(driver, 0);
    for (int link = 0; link < FullGpu.LINKS; link++) {
      String scope = link == 0 ? "" : "." + link;
      driver.set(0, "field.164" + scope, 26_562);
      driver.set(0, "field.161" + scope, 7 + link);
      driver.set(0, "field.138" + scope, 1000);
      driver.set(0, "field.139" + scope, 1000);
      driver.set(0, "field.202" + scope, 5);
      driver.set(0, "gpm." + (63 + 2 * link), 2 + link);
    }
    try (GpuFixture gpus = new GpuFixture(driver, LinkSeries.ALL)) {
      gpus.read();
      gpus.pass(1);
      driver.set(0, "field.138.1", 3000);
      Map<String, Double> read = of(gpus.read(), 0);
      assertThat(read)
          .containsEntry("gpu_nvlink_state{nvlink=\"0\"}", 1.0)
          .containsEntry("gpu_nvlink_state{nvlink=\"1\"}", 0.0)
          .containsEntry("gpu_nvlink_speed_megabytes_per_second{nvlink=\"1\"}", 26_562.0)
          .containsEntry("gpu_nvlink_errors_total{error=\"replay\", nvlink=\"1\"}", 8.0)
          .containsEntry("gpu_nvlink_bytes_total{direction=\"tx\", nvlink=\"1\"}", 3_072_000.0)
          .containsEntry("DCGM_FI_DEV_NVLINK_COUNT_TX_BYTES{nvlink=\"0\"}", 5.0)
          .containsEntry("DCGM_FI_DEV_NVLINK_BANDWIDTH_L0", 0.0)
          .containsEntry("DCGM_FI_DEV_NVLINK_BANDWIDTH_L1", 2.0)
          .containsEntry("DCGM_FI_PROF_NVLINK_L1_TX_BYTES", 3.0 * (1 << 20));
    }
  }

  @Test
  void profilingIsOfTheTimeBetweenTwoSamples() throws Exception {
    driver.begin(1);
    FullGpu.fill(driver, 0);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(profiled(of(gpus.read(), 0))).isEmpty();
      gpus.pass(0.05);
      assertThat(profiled(of(gpus.read(), 0))).as("less than 100 ms later").isEmpty();
      for (int i = 0; i < 3; i++) {
        gpus.pass(15);
        Map<String, Double> expected = FullGpu.profiled();
        Map<String, Double> read = profiled(of(gpus.read(), 0));
        assertThat(read.keySet()).isEqualTo(expected.keySet());
        read.forEach(
            (name, value) -> assertThat(value).isCloseTo(expected.get(name), within(1e-6)));
      }
      assertThat(driver.samples()).isEqualTo(2);
    }
    driver.awaitEnd();
    assertThat(driver.samples()).isZero();
  }

  @Test
  void aRatioALittleAboveOneIsCutAndCountedAndOneFarAboveIsDropped() throws Exception {
    driver.begin(1);
    driver.set(0, "gpm", 1);
    driver.set(0, "gpm.2", 103.5);
    driver.set(0, "gpm.10", 5000);
    driver.set(0, "gpm.5", -1);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      gpus.pass(1);
      assertThat(profiled(of(gpus.read(), 0))).isEqualTo(Map.of("DCGM_FI_PROF_SM_ACTIVE", 1.0));
      assertThat(gpus.report())
          .containsEntry("gpu_probe_clamped_ratios_total", 1.0)
          .containsEntry("gpu_probe_dropped_values_total{call=\"gpm_metrics\"}", 2.0);
    }
  }

  @Test
  void aGpuWithoutProfilingSaysSo() throws Exception {
    driver.begin(1);
    FullGpu.fill(driver, 0);
    driver.remove(0, "gpm");
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      gpus.pass(1);
      Tick tick = gpus.read();
      Set<String> said = GpuFixture.unsupported(tick, 0);
      for (String name : FullGpu.profiled().keySet()) {
        boolean counted = name.matches("DCGM_FI_PROF_(PCIE|NVLINK)_.X_BYTES");
        assertThat(said.contains(name)).as(name).isEqualTo(!counted);
        assertThat(of(tick, 0).containsKey(name)).isEqualTo(counted);
      }
      assertThat(driver.samples()).isZero();
    }
  }

  @Test
  void aReadingAllocatesLittleMoreThanWhatItReturns() throws Exception {
    driver.begin(8);
    for (int i = 0; i < 8; i++) {
      FullGpu.fill(driver, i);
    }
    CallingThread caller = new CallingThread();
    GpuReader reader =
        new GpuReader(
            new GpuSource(driver.library.toString(), List.of(), LinkSeries.NONE, 0), caller);
    long readings = 0;
    long returned = 0;
    for (int i = 0; i < 200; i++) {
      caller.pass();
      long before = caller.allocated();
      GpuSnapshot out = new GpuSnapshot(GpuFixture.ALL);
      reader.read(out);
      long after = caller.allocated();
      if (i >= 100) {
        readings += after - before;
        Tick.Builder same = new Tick.Builder();
        int size = 0;
        for (Tier tier : Tier.values()) {
          Tick tick = out.of(tier).at(0);
          size += tick.size();
        }
        before = caller.allocated();
        for (int k = 0; k < size; k++) {
          same.add(Labels.EMPTY, k);
        }
        returned += caller.allocated() - before;
      }
    }
    reader.close();
    assertThat(readings / 100).as("bytes a reading").isLessThan(2 * returned / 100 + 4096);
  }

  /** What profiling tells, or what is made of counters in its place. */
  private static Map<String, Double> profiled(Map<String, Double> readings) {
    Map<String, Double> values = new TreeMap<>(readings);
    values.keySet().removeIf(name -> !name.startsWith("DCGM_FI_PROF_"));
    return values;
  }

  @Test
  void everyReadingIsOfAMetricOfTheTable() throws Exception {
    driver.begin(1);
    FullGpu.fill(driver, 0);
    try (GpuFixture gpus = new GpuFixture(driver, LinkSeries.ALL)) {
      gpus.read();
      gpus.pass(1);
      for (Labels labels : gpus.read().series()) {
        GpuMetric metric = GpuMetrics.of(labels.metric());
        assertThat(metric.name()).isEqualTo(labels.metric());
      }
      for (String series : gpus.report().keySet()) {
        String name =
            series.replaceAll("\\{.*", "").replaceAll("(seconds)_(bucket|sum|count)", "$1");
        assertThat(GpuMetrics.find(name)).as(name).isPresent();
      }
    }
  }
}

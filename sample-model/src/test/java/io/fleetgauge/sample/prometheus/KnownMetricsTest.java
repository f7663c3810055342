package io.fleetgauge.sample.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.GpuMetrics;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KnownMetricsTest {
  /** What NVML and DCGM measure: units in which a value counts events or states and has none. */
  private static final Set<String> WITHOUT_UNIT =
      Set.of(
          "count",
          "bitmask",
          "code",
          "0/1",
          "xid code",
          "generation",
          "0-15, 32 unknown",
          "0 pass, 10 warn, 20 fail");

  @Test
  void everyGpuMetricHasTheTypeAndUnitThatItsSourceDelivers() throws IOException {
    Map<String, String> expected = new TreeMap<>();
    for (String line : lines("gpu-metric-facts.tsv")) {
      String[] facts = line.split("\t");
      String unit = WITHOUT_UNIT.contains(facts[2]) ? "" : facts[2].replace("ratio 0-1", "ratio");
      expected.put(facts[0], facts[1] + " " + unit);
    }
    Map<String, String> known = new TreeMap<>();
    KnownMetrics.all()
        .forEach((name, metadata) -> known.put(name, metadata.type() + " " + metadata.unit()));
    known.keySet().removeIf(name -> !name.startsWith("DCGM_"));
    assertThat(known).isEqualTo(expected);
  }

  @Test
  void theTableHasEachNameOnce() {
    assertThat(GpuMetrics.all()).hasSize(KnownMetrics.all().size());
  }

  @Test
  void everyHelpIsOneSentenceThatNamesTheUnit() {
    Map<String, String> words =
        Map.of("celsius", "Celsius", "bytes/s", "bytes per second", "MB/s", "MB per second");
    Set<String> plural = Set.of("rows", "pages", "banks", "lanes", "links");
    KnownMetrics.all()
        .forEach(
            (name, metadata) -> {
              assertThat(metadata.help()).as(name).matches("[A-Z0-9][^\"]*\\.");
              String unit = metadata.unit();
              if (unit.equals("ratio")) {
                assertThat(metadata.help()).as(name).endsWith("0 to 1.");
              } else if (plural.contains(unit)) {
                assertThat(metadata.help().toLowerCase(java.util.Locale.ROOT))
                    .as(name)
                    .contains(unit);
              } else if (!unit.isEmpty()) {
                assertThat(metadata.help())
                    .as(name)
                    .contains(words.getOrDefault(unit, unit.replace("/s", " per second")));
              }
            });
  }

  @Test
  void aRateIsAGaugeAndACounterIsNone() {
    KnownMetrics.all()
        .forEach(
            (name, metadata) -> {
              assertThat(metadata.type()).as(name).isIn("counter", "gauge", "histogram");
              if (metadata.type().equals("counter")) {
                assertThat(metadata.unit())
                    .as(name)
                    .isNotIn("percent", "ratio", "celsius", "watts", "MHz")
                    .doesNotContain("/s");
              }
            });
  }

  @ParameterizedTest
  @CsvSource({
    "DCGM_FI_DEV_POWER_VIOLATION, counter, nanoseconds",
    "DCGM_FI_DEV_THERMAL_VIOLATION, counter, nanoseconds",
    "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL, gauge, MB/s",
    "DCGM_FI_DEV_NVLINK_BANDWIDTH_L17, gauge, MB/s",
    "DCGM_FI_PROF_PCIE_TX_BYTES, gauge, bytes/s",
    "DCGM_FI_PROF_PCIE_RX_BYTES, gauge, bytes/s",
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION, counter, millijoules"
  })
  void metricsWhoseNamesMisleadHaveTheTypeOfTheirValues(String name, String type, String unit) {
    MetricMetadata metadata = KnownMetrics.of(name).orElseThrow();
    assertThat(metadata.type()).isEqualTo(type);
    assertThat(metadata.unit()).isEqualTo(unit);
  }

  @Test
  void gpuCountersAreTheCountersOfTheTable() {
    assertThat(GpuMetrics.counters())
        .contains("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "DCGM_FI_DEV_POWER_VIOLATION")
        .doesNotContain("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "DCGM_FI_PROF_PCIE_TX_BYTES")
        .contains("gpu_xid_total")
        .doesNotContain("gpu_probe_calls_total")
        .allMatch(name -> KnownMetrics.of(name).orElseThrow().type().equals("counter"));
  }

  @ParameterizedTest
  @CsvSource({
    "node_cpu_seconds_total, counter, seconds",
    "node_network_receive_bytes_total, counter, bytes",
    "node_memory_MemFree_bytes, gauge, bytes",
    "node_disk_io_now, gauge, ''",
    "node_filesystem_size_bytes, gauge, bytes",
    "node_netstat_Tcp_InSegs, unknown, ''",
    "node_vmstat_pgfault, unknown, ''",
    "node_infiniband_rate_bytes_per_second, gauge, bytes/s",
    "node_hwmon_temp_crit_celsius, gauge, celsius",
    "node_rapl_package_joules_total, counter, joules",
    "up, gauge, ''",
    "scrape_duration_seconds, gauge, seconds",
    "node_x, gauge, ''"
  })
  void metricsOfANodeAreKnownByTheirNames(String name, String type, String unit) {
    MetricMetadata metadata = KnownMetrics.of(name).orElseThrow();
    assertThat(metadata.type()).isEqualTo(type);
    assertThat(metadata.unit()).isEqualTo(unit);
    assertThat(metadata.help()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "node_load1, 1m load average.",
    "node_memory_Active_anon_bytes, Memory: Active anon bytes.",
    "node_network_up, Whether a network device is up.",
    "node_network_mtu_bytes, Network device: mtu bytes.",
    "node_x_y, Metric of the node: x_y."
  })
  void theHelpOfAMetricOfANodeIsItsOwnOrThatOfItsFamily(String name, String help) {
    assertThat(KnownMetrics.of(name).orElseThrow().help()).isEqualTo(help);
  }

  @Test
  void aMetricWithoutATypeIsUntypedInTheTextFormat() {
    Tick tick = new Tick.Builder().add(Labels.of(Labels.NAME, "node_vmstat_pgfault"), 1).at(0);
    assertThat(KnownMetrics.families(tick).get("node_vmstat_pgfault").type()).isEqualTo("untyped");
  }

  @Test
  void aMetricOfSomebodyElseIsUnknown() {
    assertThat(KnownMetrics.of("http_requests_total")).isEmpty();
    assertThat(KnownMetrics.of("")).isEmpty();
  }

  @Test
  void theFamiliesOfATickAreThoseOfItsKnownMetrics() {
    Tick tick =
        new Tick.Builder()
            .add(Labels.of(Labels.NAME, "DCGM_FI_DEV_GPU_TEMP", "gpu", "0"), 40)
            .add(Labels.of(Labels.NAME, "DCGM_FI_DEV_GPU_TEMP", "gpu", "1"), 41)
            .add(Labels.of(Labels.NAME, "mine"), 1)
            .at(0);
    assertThat(KnownMetrics.families(tick))
        .containsExactly(
            Map.entry(
                "DCGM_FI_DEV_GPU_TEMP",
                new TextExposition.Family(
                    "gauge", "Temperature of the GPU die, degrees Celsius.")));
  }

  private static java.util.List<String> lines(String resource) throws IOException {
    try (InputStream in = KnownMetricsTest.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }
}

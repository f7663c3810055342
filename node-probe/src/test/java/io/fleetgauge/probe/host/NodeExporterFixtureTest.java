package io.fleetgauge.probe.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.config.HostSettings;
import io.fleetgauge.probe.config.TickSettings;
import io.fleetgauge.probe.sampling.TickClasses;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.TextExpositionReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The proc and sys of node_exporter's end-to-end test, and what it prints for them. */
class NodeExporterFixtureTest {
  /** Metrics whose values are those of the machine that runs, not those of the fixture. */
  private static final Set<String> OF_THE_MACHINE =
      Set.of(
          "node_uname_info",
          "node_time_seconds",
          "node_time_clocksource_available_info",
          "node_time_clocksource_current_info",
          "node_time_zone_offset_seconds",
          "node_scrape_collector_duration_seconds",
          "node_scrape_collector_success");

  /** Metrics of which theirs is another, and why. */
  private static final Map<String, String> THEIRS =
      Map.of(
          "node_network_speed_bytes",
          "a device without a link says -1; its test runs with a flag that leaves these out",
          "node_nfs_requests_total",
          "it takes the columns of GETDEVICEINFO and LAYOUTGET for each other",
          "node_nvme_namespace_capacity_bytes",
          "it multiplies sectors of 512 bytes with the size of logical blocks",
          "node_nvme_namespace_size_bytes",
          "as before");

  @TempDir private static Path folder;
  private static Map<String, Map<Labels, Double>> theirs;
  private static Map<String, Map<Labels, Double>> ours;

  @BeforeAll
  static void read() throws Exception {
    HostSettings settings = NodeFixture.unpack(folder);
    String page = Files.readString(folder.resolve("fixtures/e2e-output.txt"));
    theirs = byName(page);
    HostReader reader =
        new HostReader(
            settings,
            TickClasses.of(TickSettings.every(Duration.ofSeconds(15))),
            () -> 1_700_000_000_000L);
    Tick.Builder readings = new Tick.Builder();
    reader.read(readings);
    Tick tick = readings.at(0);
    ours = new TreeMap<>();
    for (int i = 0; i < tick.size(); i++) {
      Labels labels = tick.series().get(i);
      String path = labels.value("path");
      if (path.startsWith(folder.toString())) {
        labels = labels.with("path", "collector" + path.substring(folder.toString().length()));
      }
      add(ours, labels, tick.values()[i]);
    }
  }

  private static Map<String, Map<Labels, Double>> byName(String page) throws Exception {
    Map<String, Map<Labels, Double>> all = new TreeMap<>();
    for (TextExpositionReader.Sample sample : TextExpositionReader.read(page).samples()) {
      add(all, sample.labels(), sample.value());
    }
    return all;
  }

  private static void add(Map<String, Map<Labels, Double>> all, Labels labels, double value) {
    if (labels.metric().startsWith("node_")) {
      all.computeIfAbsent(labels.metric(), none -> new TreeMap<>()).put(labels, value);
    }
  }

  /** Theirs are multiplied with a reciprocal where ours are divided: a last digit may differ. */
  private static boolean isEqual(Map<Labels, Double> one, Map<Labels, Double> other) {
    return one.keySet().equals(other.keySet())
        && one.keySet().stream()
            .allMatch(
                labels -> {
                  double value = one.get(labels);
                  return Math.abs(value - other.get(labels)) <= 1e-12 * Math.abs(value);
                });
  }

  @Test
  void metricsThatBothHaveAreEqualButForThoseWhoseReasonIsNamed() {
    Set<String> both = new TreeSet<>(theirs.keySet());
    both.retainAll(ours.keySet());
    both.removeAll(OF_THE_MACHINE);
    Map<String, String> differ = new TreeMap<>();
    for (String name : both) {
      if (!isEqual(ours.get(name), theirs.get(name))) {
        Map<Labels, Double> less = new TreeMap<>(theirs.get(name));
        less.entrySet().removeAll(ours.get(name).entrySet());
        Map<Labels, Double> more = new TreeMap<>(ours.get(name));
        more.entrySet().removeAll(theirs.get(name).entrySet());
        differ.put(name, "theirs " + less + "\n  ours " + more);
      }
    }
    assertThat(both).hasSizeGreaterThan(340);
    assertThat(differ.keySet())
        .as(
            differ.entrySet().stream()
                .map(each -> each.getKey() + ": " + each.getValue())
                .collect(Collectors.joining("\n")))
        .isEqualTo(new TreeSet<>(THEIRS.keySet()));
  }
}

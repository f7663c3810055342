package io.fleetgauge.sample.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.gpu.GpuMetric;
import io.fleetgauge.sample.gpu.GpuMetrics;
import io.fleetgauge.sample.gpu.Tier;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The lists of metrics in {@code docs/metrics} have what the tables have. */
class MetricPagesTest {
  private static final Path FOLDER = Path.of(System.getProperty("fleetgauge.root"), "docs/metrics");

  private static final String GPU_HEAD =
      """
      # Metrics of GPUs

      <!-- Written from gpu-metrics.tsv by MetricPagesTest; do not edit it by hand. -->

      What a probe sends of GPUs, jobs and its own reading, by how often it is read. Labels, gaps and what the names mean for
      dcgm-exporter's dashboards are explained in [GPU metrics](../gpu-metrics.md); the ticks in [probe](../probe.md). The
      column *of* says what a series belongs to.
      """;

  private static final Map<Tier, String> TIERS =
      Map.of(
          Tier.CORE, "At every tick (`tick`).",
          Tier.HEALTH, "Errors, limits and states, every `ticks.other`.",
          Tier.EXTENDED, "Details, every `ticks.other`.",
          Tier.STATIC, "What hardly ever changes, every `ticks.static`.",
          Tier.LINK,
              "One series for each NVLink, every `ticks.other`, see"
                  + " [NVLink](../gpu-metrics.md#nvlink).");

  private static final Map<GpuMetric.Entity, String> ENTITIES =
      Map.of(
          GpuMetric.Entity.GPU, "GPU",
          GpuMetric.Entity.MIG, "MIG instance",
          GpuMetric.Entity.LINK, "NVLink",
          GpuMetric.Entity.PROBE, "node");

  private static final String HOST_HEAD =
      """
      # Metrics of hosts

      <!-- Written from host-metrics.csv by MetricPagesTest; do not edit it by hand. -->

      What a probe sends of its host, with the names of node_exporter, and what it writes of scrapes. Which collector reads
      what is in [host metrics](../host-metrics.md). `*` stands for the rest of a name: there is a metric for each field that
      the kernel reports, and those that end with `_total` are counters.

      | metric | type | unit | meaning |
      |---|---|---|---|
      """;

  private static String gpu() {
    StringBuilder page = new StringBuilder(GPU_HEAD);
    for (Tier tier : Tier.values()) {
      String name = tier.name().toLowerCase(Locale.ROOT);
      page.append("\n## ").append(name).append("\n\n").append(TIERS.get(tier)).append("\n\n");
      page.append("| metric | type | unit | of | meaning |\n|---|---|---|---|---|\n");
      for (GpuMetric metric : GpuMetrics.all()) {
        if (metric.tier() == tier) {
          String of =
              metric.entities().stream().map(ENTITIES::get).collect(Collectors.joining(", "));
          row(page, metric.name(), metric.type(), metric.unit(), of, metric.help());
        }
      }
    }
    return page.toString();
  }

  private static String host() throws IOException {
    StringBuilder page = new StringBuilder(HOST_HEAD);
    for (String name : hostNames()) {
      boolean isFamily = name.endsWith("*");
      MetricMetadata metadata = HostMetrics.of(name.replace("*", "NAME")).orElseThrow();
      boolean mayCount = isFamily && metadata.type().equals("gauge");
      row(
          page,
          name,
          mayCount ? "counter or gauge" : metadata.type(),
          metadata.unit(),
          isFamily ? metadata.help().replace("NAME", "`*`") : metadata.help());
    }
    return page.toString();
  }

  private static List<String> hostNames() throws IOException {
    List<String> names = new ArrayList<>();
    try (InputStream in = HostMetrics.class.getResourceAsStream("host-metrics.csv")) {
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .skip(1)
          .forEach(line -> names.add(line.substring(0, line.indexOf(','))));
    }
    return names;
  }

  private static void row(StringBuilder page, String name, String... cells) {
    page.append("| `").append(name).append('`');
    for (String cell : cells) {
      page.append(cell.isEmpty() ? " |" : " | " + cell.replace("|", "\\|"));
    }
    page.append(" |\n");
  }

  private static void check(String file, String text) throws IOException {
    Path page = FOLDER.resolve(file);
    if ("write".equals(System.getProperty("fleetgauge.docs"))) {
      Files.createDirectories(FOLDER);
      Files.writeString(page, text);
    }
    assertThat(Files.readString(page))
        .as(
            "write the page anew: ./fleetgauge test -pl sample-model -am -Dtest=MetricPagesTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dfleetgauge.docs=write")
        .isEqualTo(text);
  }

  @Test
  void thePageOfGpusHasEveryMetricOfTheTable() throws IOException {
    String text = gpu();
    assertThat(GpuMetrics.all()).hasSizeGreaterThan(280);
    for (GpuMetric metric : GpuMetrics.all()) {
      assertThat(text).containsOnlyOnce("| `" + metric.name() + "` | " + metric.type() + " |");
    }
    check("gpu.md", text);
  }

  @Test
  void thePageOfHostsHasEveryMetricOfTheTable() throws IOException {
    check("host.md", host());
  }
}

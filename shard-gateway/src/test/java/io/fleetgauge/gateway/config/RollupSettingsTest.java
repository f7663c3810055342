package io.fleetgauge.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.gpu.GpuMetric.Entity;
import io.fleetgauge.sample.gpu.GpuMetrics;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RollupSettingsTest {
  @Test
  void byDefaultRatesAreKeptOfTheCountersOfGpusAndOfNothingElse() {
    KnownMetrics.all()
        .forEach(
            (name, metadata) ->
                assertThat(rule(name).map(rule -> !rule.windows().isEmpty()).orElse(false))
                    .as("rollups of the rate of %s, a %s", name, metadata.type())
                    .isEqualTo(metadata.type().equals("counter") && !isOfTheReading(name)));
  }

  @Test
  void byDefaultEveryMetricOfDcgmExporterIsKeptReduced() {
    assertThat(KnownMetrics.all().keySet())
        .filteredOn(name -> name.startsWith("DCGM_FI_"))
        .isNotEmpty()
        .allMatch(name -> rule(name).orElseThrow().latest());
    assertThat(rule("DCGM_FI_DEV_OF_A_NEWER_DRIVER").orElseThrow().windows()).isEmpty();
    assertThat(rule("http_requests_total")).isEmpty();
  }

  private static boolean isOfTheReading(String metric) {
    return GpuMetrics.find(metric).filter(gpu -> gpu.entities().contains(Entity.PROBE)).isPresent();
  }

  /** The first by name that matches, as gateways choose. */
  private static Optional<RollupSettings.Rule> rule(String metric) {
    return RollupSettings.DEFAULT.rules().stream()
        .filter(rule -> metric.matches(rule.metrics()))
        .findFirst();
  }
}

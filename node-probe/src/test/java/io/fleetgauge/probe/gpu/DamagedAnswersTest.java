package io.fleetgauge.probe.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.gpu.reading.FullGpu;
import io.fleetgauge.probe.gpu.reading.LinkSeries;
import io.fleetgauge.probe.nvml.StandIn;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.GpuMetric;
import io.fleetgauge.sample.gpu.GpuMetrics;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A driver that answers nonsense: about half of its answers are damaged, by a seed. */
class DamagedAnswersTest {
  private static final int READINGS = 20;
  private static final long ANSWERS = 100_000;

  @Test
  void aHundredThousandDamagedAnswersGiveNoValueThatCannotBe(@TempDir Path folder)
      throws Exception {
    StandIn driver = new StandIn(folder);
    long answers = 0;
    double dropped = 0;
    double clamped = 0;
    long values = 0;
    for (int seed = 1; answers < ANSWERS; seed++) {
      driver.begin(2);
      FullGpu.fill(driver, 0);
      FullGpu.fill(driver, 1);
      instance(driver);
      long before = driver.calls();
      driver.damage(0x9e3779b97f4a7c15L * seed);
      try (GpuFixture gpus = new GpuFixture(driver, LinkSeries.ALL)) {
        for (int i = 0; i < READINGS; i++) {
          gpus.pass(15);
          values += check(gpus.read());
        }
        Map<String, Double> report = gpus.report();
        clamped += report.get("gpu_probe_clamped_ratios_total");
        for (Map.Entry<String, Double> of : report.entrySet()) {
          dropped += of.getKey().startsWith("gpu_probe_dropped_values_total") ? of.getValue() : 0;
        }
      }
      answers += driver.calls() - before;
    }
    assertThat(dropped).isGreaterThan(1_000);
    assertThat(clamped).isGreaterThan(1_000);
    assertThat(values).isGreaterThan(ANSWERS);
  }

  private static void instance(StandIn driver) {
    driver.set(1, "mig", 1);
    driver.set(1, "mig.0.instance", 3);
    driver.set(1, "mig.0.compute", 0);
    driver.set(1, "mig.0.slices", 1);
    driver.set(1, "mig.0.mib", 9_856);
    driver.set(1, "mig.0.total", 9_856L << 20);
    driver.set(1, "mig.0.used", 1L << 20);
    driver.set(1, "gpm.3.2", 30);
  }

  private static int check(Tick tick) {
    for (int i = 0; i < tick.size(); i++) {
      Labels series = tick.series().get(i);
      double value = tick.values()[i];
      GpuMetric metric = GpuMetrics.of(series.metric());
      assertThat(value).as(series.toString()).isFinite();
      switch (metric.unit()) {
        case "percent" -> assertThat(value).as(series.toString()).isBetween(0.0, 200.0);
        case "ratio" -> assertThat(value).as(series.toString()).isBetween(0.0, 1.0);
        case "celsius" -> assertThat(value).as(series.toString()).isBetween(-200.0, 200.0);
        case "watts" -> assertThat(value).as(series.toString()).isBetween(0.0, 10_000.0);
        case "MHz" -> assertThat(value).as(series.toString()).isBetween(0.0, 100_000.0);
        default -> assertThat(value).as(series.toString()).isGreaterThanOrEqualTo(0);
      }
      if (metric.name().matches("DCGM_FI_DEV_(GPU|MEM_COPY|ENC|DEC)_UTIL")) {
        assertThat(value).as(series.toString()).isLessThanOrEqualTo(100);
      }
      for (int k = 0; k < series.size(); k++) {
        assertThat(series.value(k)).matches("[ -~]{1,96}");
      }
    }
    return tick.size();
  }
}

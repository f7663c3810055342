package io.fleetgauge.probe.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.probe.gpu.reading.FullGpu;
import io.fleetgauge.probe.nvml.StandIn;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.probe.sampling.TickClasses;
import io.fleetgauge.probe.sampling.TickSink;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.relabel.Relabelling;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** GPUs as the sampler reads them, tick by tick. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GpuSamplingTest {
  private static final long TICK = 15_000;

  private StandIn driver;

  @BeforeAll
  void build(@TempDir Path folder) throws Exception {
    driver = new StandIn(folder);
  }

  @BeforeEach
  void reset() {
    driver.begin(1);
    FullGpu.fill(driver, 0);
  }

  @Test
  void aTierIsReadInItsClassAndAChosenMetricInItsOwn() throws Exception {
    TickClass seldom = new TickClass(Duration.ofMinutes(1));
    try (GpuFixture gpus = new GpuFixture(driver);
        Sampler sampler = sampler(gpus, Map.of("DCGM_FI_DEV_GPU_TEMP", seldom), GpuFixture.LIMIT)) {
      await("the driver has been loaded within half a tick")
          .untilAsserted(
              () ->
                  assertThat(values(sampler.readAt(0)))
                      .contains(
                          "DCGM_FI_DEV_GPU_UTIL",
                          "DCGM_FI_DEV_PSTATE",
                          "DCGM_FI_DEV_PCIE_LINK_GEN",
                          "DCGM_FI_DEV_POWER_MGMT_LIMIT",
                          "DCGM_FI_DEV_GPU_TEMP"));
      assertThat(values(sampler.readAt(TICK)))
          .contains("DCGM_FI_DEV_GPU_UTIL", "gpu_probe_up")
          .doesNotContain(
              "DCGM_FI_DEV_PSTATE",
              "DCGM_FI_DEV_PCIE_LINK_GEN",
              "DCGM_FI_DEV_POWER_MGMT_LIMIT",
              "DCGM_FI_DEV_GPU_TEMP");
      assertThat(values(sampler.readAt(2 * TICK)))
          .contains("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_PSTATE")
          .doesNotContain("DCGM_FI_DEV_POWER_MGMT_LIMIT", "DCGM_FI_DEV_GPU_TEMP");
      assertThat(values(sampler.readAt(4 * TICK)))
          .contains("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_GPU_TEMP")
          .doesNotContain("DCGM_FI_DEV_POWER_MGMT_LIMIT");
    }
  }

  @Test
  void aHungDriverNeitherRepeatsNorEndsItsSeriesAndIsTold() throws Exception {
    try (GpuFixture gpus = new GpuFixture(driver);
        Sampler sampler = sampler(gpus, Map.of(), Duration.ofMillis(500))) {
      await().until(() -> values(sampler.readAt(0)).contains("DCGM_FI_DEV_POWER_USAGE"));
      driver.hold("power");
      for (int i = 1; i < 6; i++) {
        Tick tick = sampler.readAt(i * TICK);
        gpus.pass(15);
        assertThat(values(tick)).contains("gpu_probe_up", "gpu_probe_age_seconds", "gpu_lost");
        assertThat(values(tick)).noneMatch(name -> name.startsWith("DCGM_"));
        assertThat(ended(tick)).noneMatch(name -> name.startsWith("DCGM_"));
      }
      Tick hung = sampler.readAt(6 * TICK);
      assertThat(value(hung, "gpu_probe_up")).isZero();
      assertThat(value(hung, "gpu_probe_call_state")).isEqualTo(3);
      assertThat(value(hung, "gpu_probe_age_seconds")).isEqualTo(75);
      assertThat(values(hung)).contains("gpu_probe_call_seconds_bucket");
      driver.letGo();
    } finally {
      driver.letGo();
    }
  }

  /**
   * @param limit how long a tick waits for the driver
   */
  private static Sampler sampler(GpuFixture gpus, Map<String, TickClass> chosen, Duration limit) {
    TickClasses classes =
        new TickClasses(
            new TickClass(Duration.ofMillis(TICK)),
            new TickClass(Duration.ofMillis(2 * TICK)),
            new TickClass(Duration.ofHours(1)),
            chosen);
    return new Sampler(
        List.of(
            new GpuSampling(gpus.thread, classes, limit),
            new GpuReport(gpus.thread, classes.core(), classes.other())),
        new NodeLabels(Labels.of("Hostname", "n1"), Relabelling.NONE),
        () -> GpuOwners.NONE,
        "gpu",
        Duration.ofMillis(TICK),
        () -> 0,
        TickSink.NONE);
  }

  private static Set<String> values(Tick tick) {
    Set<String> names = new TreeSet<>();
    for (int i = 0; i < tick.size(); i++) {
      if (!Staleness.isMarker(tick.values()[i])) {
        names.add(tick.series().get(i).metric());
      }
    }
    return names;
  }

  private static Set<String> ended(Tick tick) {
    Set<String> names = new TreeSet<>();
    for (int i = 0; i < tick.size(); i++) {
      if (Staleness.isMarker(tick.values()[i])) {
        names.add(tick.series().get(i).metric());
      }
    }
    return names;
  }

  private static double value(Tick tick, String metric) {
    for (int i = 0; i < tick.size(); i++) {
      if (tick.series().get(i).metric().equals(metric)) {
        return tick.values()[i];
      }
    }
    return Double.NaN;
  }
}

package io.fleetgauge.probe.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.probe.gpu.reading.FullGpu;
import io.fleetgauge.probe.gpu.snapshot.QuickGpu;
import io.fleetgauge.probe.gpu.snapshot.QuickMetric;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.probe.nvml.StandIn;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What is read every second. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class QuickReadingTest {
  private static final Duration SOON = Duration.ofMillis(50);

  private StandIn driver;

  @BeforeAll
  void build(@TempDir Path folder) throws Exception {
    driver = new StandIn(folder);
  }

  @BeforeEach
  void reset() {
    driver.awaitEnd();
    driver.begin(1);
    FullGpu.fill(driver, 0);
  }

  @Test
  void aSecondHasTheValuesThatTheFullReadingHas() throws Exception {
    Map<String, Double> profiled = FullGpu.profiled();
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(quick(gpus)).as("before the driver was opened").isEmpty();
      gpus.read();
      assertThat(values(quick(gpus).getFirst()))
          .as("no mean of profiling yet")
          .isEqualTo(
              Map.of(
                  QuickMetric.POWER, 687.125,
                  QuickMetric.SM_CLOCK, 1980.0,
                  QuickMetric.UTILIZATION, 0.87,
                  QuickMetric.ECC_UNCORRECTED, 32.0,
                  QuickMetric.ROW_REMAP_FAILURE, 1.0,
                  QuickMetric.RECOVERY_ACTION, 2.0));
      gpus.pass(1);
      driver.set(0, "power", 500_000);
      Map<QuickMetric, Double> second = values(quick(gpus).getFirst());
      assertThat(second)
          .containsEntry(QuickMetric.POWER, 500.0)
          .containsEntry(QuickMetric.TENSOR, profiled.get("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"))
          .containsEntry(QuickMetric.PCIE_TX, profiled.get("DCGM_FI_PROF_PCIE_TX_BYTES"))
          .containsEntry(QuickMetric.PCIE_RX, profiled.get("DCGM_FI_PROF_PCIE_RX_BYTES"))
          .containsEntry(QuickMetric.NVLINK_TX, profiled.get("DCGM_FI_PROF_NVLINK_TX_BYTES"))
          .containsEntry(QuickMetric.NVLINK_RX, profiled.get("DCGM_FI_PROF_NVLINK_RX_BYTES"));
    }
    driver.awaitEnd();
    assertThat(driver.samples()).as("samples of profiling are given back").isZero();
  }

  @Test
  void withoutProfilingRatesAreMadeOfCounters() throws Exception {
    driver.remove(0, "gpm");
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      quick(gpus);
      gpus.pass(1);
      driver.set(0, "field.197", 1234 + 1_000_000);
      driver.set(0, "field.198", 5678 + 2_000_000);
      driver.set(0, "field.140.-1", 110 + 3_000);
      driver.set(0, "field.141.-1", 220 + 4_000);
      assertThat(values(quick(gpus).getFirst()))
          .containsEntry(QuickMetric.PCIE_TX, 1_000_000.0)
          .containsEntry(QuickMetric.PCIE_RX, 2_000_000.0)
          .containsEntry(QuickMetric.NVLINK_TX, 3_000 * 1024.0)
          .containsEntry(QuickMetric.NVLINK_RX, 4_000 * 1024.0)
          .doesNotContainKey(QuickMetric.TENSOR);
    }
  }

  @Test
  void aSecondCostsAHandfulOfCalls() throws Exception {
    assertThat(callsOfASecond()).as("fields, two calls, power, two of profiling").isEqualTo(6);
    driver.set(0, "field.185", 687_000);
    assertThat(callsOfASecond()).as("power is a field").isEqualTo(5);
    driver.remove(0, "gpm");
    assertThat(callsOfASecond()).as("no profiling").isEqualTo(3);
  }

  private long callsOfASecond() throws Exception {
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      quick(gpus);
      gpus.pass(1);
      quick(gpus);
      gpus.pass(1);
      long before = driver.calls();
      quick(gpus);
      return driver.calls() - before;
    }
  }

  @Test
  void aCallThatBlocksLeavesSecondsOutAndCostsOneThread() throws Exception {
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      quick(gpus);
      driver.hold("clock");
      assertThat(gpus.thread.readQuick(SOON)).isEmpty();
      await().until(() -> driver.waiting() == 1);
      assertThat(gpus.thread.readQuick(SOON)).isEmpty();
      assertThat(gpus.thread.read(GpuFixture.ALL, SOON)).isEmpty();
      assertThat(driver.waiting()).as("blocked calls").isEqualTo(1);
      assertThat(gpus.thread.hung()).isEmpty();
      gpus.pass(61);
      assertThat(gpus.thread.hung())
          .contains(new GpuThread.Hung("clock", 0, Duration.ofSeconds(61).toNanos()));
      driver.letGo();
      await().until(() -> gpus.thread.readQuick(GpuFixture.LIMIT).isPresent());
      assertThat(gpus.thread.hung()).isEmpty();
      assertThat(values(quick(gpus).getFirst())).as("slow, so left alone").isEmpty();
      gpus.pass(61);
      assertThat(values(quick(gpus).getFirst())).containsEntry(QuickMetric.POWER, 687.125);
    } finally {
      driver.letGo();
    }
  }

  @Test
  void aGpuThatIsLostIsToldInTheVerySecond() throws Exception {
    driver.begin(2);
    FullGpu.fill(driver, 0);
    FullGpu.fill(driver, 1);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      assertThat(quick(gpus)).noneMatch(QuickGpu::isLost);
      driver.answer(1, "clock", NvmlReturn.GPU_IS_LOST);
      List<QuickGpu> seen = quick(gpus);
      assertThat(seen.get(0).isLost()).isFalse();
      assertThat(seen.get(1).isLost()).isTrue();
      assertThat(values(seen.get(1))).isEmpty();
      assertThat(gpus.report()).containsEntry("gpu_probe_devices{state=\"lost\"}", 1.0);
    }
  }

  private static List<QuickGpu> quick(GpuFixture gpus) throws InterruptedException {
    return gpus.thread.readQuick(GpuFixture.LIMIT).orElseThrow();
  }

  private static Map<QuickMetric, Double> values(QuickGpu gpu) {
    Map<QuickMetric, Double> values = new EnumMap<>(QuickMetric.class);
    for (QuickMetric metric : QuickMetric.values()) {
      if (!Double.isNaN(gpu.value(metric))) {
        values.put(metric, gpu.value(metric));
      }
    }
    return values;
  }
}

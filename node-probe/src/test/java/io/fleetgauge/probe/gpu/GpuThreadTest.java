package io.fleetgauge.probe.gpu;

import static io.fleetgauge.probe.gpu.GpuFixture.of;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.probe.gpu.reading.FullGpu;
import io.fleetgauge.probe.gpu.reading.LinkSeries;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.probe.nvml.StandIn;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of readings when the driver, a GPU or a call does. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GpuThreadTest {
  private static final Duration SOON = Duration.ofMillis(50);

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
  void aLostGpuIsLeftAloneLookedForAgainAndTheOthersAreRead() throws Exception {
    driver.begin(2);
    FullGpu.fill(driver, 0);
    Map<String, Double> expected = FullGpu.fill(driver, 1);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      driver.answer(0, "utilization", NvmlReturn.GPU_IS_LOST);
      gpus.read();
      for (int i = 0; i < 3; i++) {
        assertThat(of(gpus.read(), 0)).isEmpty();
        assertThat(of(gpus.read(), 1)).isEqualTo(expected);
      }
      assertThat(gpus.thread.errors()).containsExactly(Map.entry(List.of("utilization", "15"), 1L));
      Map<String, Double> report = gpus.report();
      assertThat(report)
          .containsEntry("gpu_probe_devices{state=\"ok\"}", 1.0)
          .containsEntry("gpu_probe_devices{state=\"lost\"}", 1.0)
          .containsEntry("gpu_expected", 2.0);
      driver.answer(0, "utilization", NvmlReturn.SUCCESS);
      gpus.pass(29);
      assertThat(of(gpus.read(), 0)).isEmpty();
      gpus.pass(2);
      assertThat(of(gpus.read(), 0)).isEqualTo(expected);
      assertThat(gpus.report()).containsEntry("gpu_probe_devices{state=\"lost\"}", 0.0);
    }
  }

  @Test
  void aGpuThatFailsAtEnumerationIsToldAndLookedForAgain() throws Exception {
    driver.begin(3);
    Map<String, Double> expected = FullGpu.fill(driver, 2);
    driver.answer(1, "handle", NvmlReturn.NO_PERMISSION);
    driver.answer(2, "handle", NvmlReturn.UNKNOWN);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(of(gpus.read(), 2)).isEmpty();
      assertThat(gpus.report())
          .containsEntry("gpu_probe_devices{state=\"ok\"}", 1.0)
          .containsEntry("gpu_probe_devices{state=\"denied\"}", 1.0)
          .containsEntry("gpu_probe_devices{state=\"error\"}", 1.0)
          .containsEntry("gpu_expected", 3.0);
      driver.answer(2, "handle", NvmlReturn.SUCCESS);
      gpus.pass(31);
      assertThat(of(gpus.read(), 2)).isEqualTo(expected);
      assertThat(gpus.report()).containsEntry("gpu_probe_devices{state=\"error\"}", 0.0);
    }
  }

  @Test
  void aGpuThatVanishesIsLostAndOneThatComesIsFound() throws Exception {
    driver.begin(2);
    Map<String, Double> expected = FullGpu.fill(driver, 1);
    driver.count(1);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(of(gpus.read(), 1)).isEmpty();
      driver.count(2);
      gpus.pass(31);
      assertThat(of(gpus.read(), 1)).isEqualTo(expected);
      driver.count(1);
      gpus.pass(31);
      assertThat(of(gpus.read(), 1)).isEmpty();
      assertThat(gpus.report())
          .containsEntry("gpu_probe_devices{state=\"lost\"}", 1.0)
          .containsEntry("gpu_expected", 2.0);
    }
  }

  @Test
  void noLibraryAndNoGpusAreSaidAndLookedForAgain() throws Exception {
    try (GpuFixture gpus = new GpuFixture("/nonexistent/libnvidia-ml.so.1", LinkSeries.NONE)) {
      assertThat(gpus.read().size()).isZero();
      assertThat(gpus.thread.state()).contains("/nonexistent/libnvidia-ml.so.1 is not here");
      assertThat(gpus.report()).containsEntry("gpu_probe_up", 0.0);
    }
    driver.answerOfLibrary("init", NvmlReturn.DRIVER_NOT_LOADED);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(gpus.read().size()).isZero();
      assertThat(gpus.thread.state()).contains("initialization returned 9");
      driver.begin(1);
      gpus.pass(29);
      assertThat(gpus.read().size()).isZero();
      gpus.pass(2);
      assertThat(gpus.read().size()).isPositive();
      assertThat(gpus.thread.state()).isEmpty();
      assertThat(gpus.report()).containsEntry("gpu_probe_up", 1.0);
    }
  }

  @Test
  void aDriverThatIsReplacedIsInitialisedAnew() throws Exception {
    driver.begin(1);
    Map<String, Double> expected = FullGpu.fill(driver, 0);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      driver.answer(0, "power", NvmlReturn.LIB_RM_VERSION_MISMATCH);
      gpus.read();
      assertThat(gpus.thread.state()).contains("a call returned 18");
      assertThat(driver.initialised()).isZero();
      driver.answer(0, "power", NvmlReturn.SUCCESS);
      gpus.pass(31);
      assertThat(of(gpus.read(), 0)).isEqualTo(expected);
    }
  }

  @Test
  void aLibraryBelowADriverRootIsFoundByItsName(@TempDir Path root) throws Exception {
    String name = "libnvml-stand-in-of-a-driver-container.so";
    Path folder = Files.createDirectories(root.resolve("usr/lib64"));
    Files.copy(driver.library, folder.resolve(name));
    GpuSource source =
        new GpuSource(name, List.of(Path.of("/nonexistent"), root), LinkSeries.NONE, 7);
    try (GpuThread thread = new GpuThread(source)) {
      assertThat(thread.read(GpuFixture.ALL, GpuFixture.LIMIT)).isPresent();
      assertThat(thread.state()).isEqualTo("no GPUs are read: the driver sees none");
    }
  }

  @Test
  void aCallThatBlocksCostsReadingsAndNotTheProbe() throws Exception {
    driver.begin(1);
    Map<String, Double> expected = FullGpu.fill(driver, 0);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      assertThat(gpus.thread.processes()).isPresent();
      driver.hold("power");
      assertThat(gpus.thread.read(GpuFixture.ALL, SOON)).isEmpty();
      assertThat(gpus.thread.processes()).as("those of before may have gone").isEmpty();
      await().until(() -> driver.waiting() == 1);
      assertThat(gpus.thread.read(GpuFixture.ALL, SOON)).isEmpty();
      assertThat(gpus.thread.read(GpuFixture.ALL, SOON)).isEmpty();
      assertThat(driver.waiting()).as("blocked calls").isEqualTo(1);
      assertThat(gpus.thread.missed()).isEqualTo(3);
      driver.letGo();
      await().until(() -> gpus.thread.read(GpuFixture.ALL, GpuFixture.LIMIT).isPresent());
      assertThat(of(gpus.read(), 0)).isEqualTo(expected);
    } finally {
      driver.letGo();
    }
  }

  @Test
  void aBlockedCallIsSlowThenLateThenHungAndIsNamed() throws Exception {
    driver.begin(2);
    FullGpu.fill(driver, 0);
    FullGpu.fill(driver, 1);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      assertThat(gpus.report())
          .containsEntry("gpu_probe_up", 1.0)
          .containsEntry("gpu_probe_driver_responsive", 1.0)
          .containsEntry("gpu_probe_call_state", 0.0)
          .containsEntry("gpu_probe_thread_blocked", 0.0)
          .containsEntry("gpu_probe_age_seconds", 0.0);
      driver.hold("fan");
      assertThat(gpus.thread.read(GpuFixture.ALL, SOON)).isEmpty();
      await().until(() -> driver.waiting() == 1);
      String blocked = "gpu_probe_blocked_seconds{call=\"fan\", gpu=\"0\"}";
      gpus.pass(2);
      assertThat(gpus.report())
          .containsEntry("gpu_probe_call_state", 1.0)
          .containsEntry("gpu_probe_driver_responsive", 1.0)
          .containsEntry(blocked, 2.0);
      gpus.pass(9);
      assertThat(gpus.report())
          .containsEntry("gpu_probe_call_state", 2.0)
          .containsEntry("gpu_probe_driver_responsive", 0.0)
          .containsEntry("gpu_probe_up", 0.0)
          .containsEntry("gpu_probe_readings_missed_total", 1.0);
      gpus.pass(50);
      assertThat(gpus.report())
          .containsEntry("gpu_probe_call_state", 3.0)
          .containsEntry(blocked, 61.0)
          .containsEntry("gpu_probe_age_seconds", 61.0)
          .containsEntry("gpu_probe_sample_age_seconds", 61.0);
      driver.letGo();
      // The rest of the reading, the other GPU among it, comes after the call that was blocked.
      await()
          .untilAsserted(
              () ->
                  assertThat(gpus.report())
                      .containsEntry("gpu_probe_call_state", 0.0)
                      .doesNotContainKey(blocked)
                      .containsEntry("gpu_probe_slow_calls_total", 1.0)
                      .containsEntry("gpu_probe_call_seconds_bucket{call=\"fan\", le=\"1\"}", 3.0)
                      .containsEntry("gpu_probe_call_seconds_bucket{call=\"fan\", le=\"60\"}", 3.0)
                      .containsEntry(
                          "gpu_probe_call_seconds_bucket{call=\"fan\", le=\"+Inf\"}", 4.0)
                      .containsEntry("gpu_probe_call_seconds_sum{call=\"fan\"}", 61.0));
    } finally {
      driver.letGo();
    }
  }

  @Test
  void aGpuWhoseCallsAreSlowDoesNotStarveTheOthers() throws Exception {
    driver.begin(2);
    FullGpu.fill(driver, 0);
    Map<String, Double> expected = FullGpu.fill(driver, 1);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      driver.hold("fan");
      assertThat(gpus.thread.read(GpuFixture.ALL, SOON)).isEmpty();
      await().until(() -> driver.waiting() == 1);
      gpus.pass(20);
      driver.letGo();
      await().until(() -> gpus.thread.read(GpuFixture.ALL, GpuFixture.LIMIT).isPresent());
      assertThat(of(gpus.read(), 0)).isEmpty();
      assertThat(of(gpus.read(), 1)).containsAllEntriesOf(expected);
      gpus.pass(61);
      assertThat(of(gpus.read(), 0)).containsAllEntriesOf(expected);
    } finally {
      driver.letGo();
    }
  }

  @Test
  void uninterruptibleSleepIsSeenInTheKernelsTable(@TempDir Path proc) throws Exception {
    Watchdog watchdog = new Watchdog(null);
    assertThat(watchdog.isBlockedInKernel()).as("unknown thread").isFalse();
    watchdog.watch(proc);
    assertThat(watchdog.isBlockedInKernel()).as("no such thread").isFalse();
    for (String state : List.of("S", "R", "D", "Z")) {
      Files.writeString(proc.resolve("stat"), "77 (nv) D ml) " + state + " 1 77 77 0 -1\n");
      assertThat(watchdog.isBlockedInKernel()).isEqualTo(state.equals("D"));
    }
    Files.writeString(proc.resolve("stat"), "77 (nvml");
    assertThat(watchdog.isBlockedInKernel()).isFalse();
  }

  @Test
  void closingDoesNotWaitForAStuckCall() throws Exception {
    driver.begin(1);
    FullGpu.fill(driver, 0);
    GpuFixture gpus = new GpuFixture(driver);
    gpus.read();
    driver.hold("utilization");
    try {
      assertThat(gpus.thread.read(GpuFixture.ALL, SOON)).isEmpty();
      await().until(() -> driver.waiting() == 1);
      gpus.close();
      assertThat(driver.initialised()).as("left as it was").isEqualTo(1);
    } finally {
      driver.letGo();
      await().until(() -> driver.initialised() == 0);
    }
  }
}

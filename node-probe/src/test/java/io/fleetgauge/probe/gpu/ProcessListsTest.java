package io.fleetgauge.probe.gpu;

import static io.fleetgauge.probe.gpu.GpuFixture.of;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.gpu.snapshot.GpuProcess;
import io.fleetgauge.probe.gpu.snapshot.GpuProcesses;
import io.fleetgauge.probe.nvml.StandIn;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The processes that a driver lists, and whose work the utilisation of a GPU is. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProcessListsTest {
  private static final long MIB = 1L << 20;
  private static final int DENIED = 4;
  private static final int LOST = 15;

  private Path folder;
  private StandIn driver;

  @BeforeAll
  void build(@TempDir Path folder) throws Exception {
    this.folder = folder;
    driver = new StandIn(folder);
  }

  @BeforeEach
  void begin() {
    driver.begin(1);
  }

  @Test
  void aProcessInSeveralListsIsOneAndHoldsItsMemoryOnce() throws Exception {
    processes(driver, "", "compute", 100, 835 * MIB, 200, 1933 * MIB, 300, -1);
    processes(driver, "", "graphics", 100, 835 * MIB);
    processes(driver, "", "mps", 200, 1933 * MIB, 300, 7 * MIB);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(of(gpus.read(), 0))
          .containsEntry("gpu_processes{kind=\"compute\"}", 3.0)
          .containsEntry("gpu_processes{kind=\"graphics\"}", 1.0)
          .containsEntry("gpu_processes{kind=\"mps\"}", 2.0);
      assertThat(memory(gpus))
          .containsExactly(
              Map.entry(100, OptionalLong.of(835 * MIB)),
              Map.entry(200, OptionalLong.of(1933 * MIB)),
              Map.entry(300, OptionalLong.of(7 * MIB)));
    }
  }

  @Test
  void memoryThatTheDriverDoesNotTellIsNotZero() throws Exception {
    processes(driver, "", "compute", 100, -1);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      assertThat(memory(gpus)).containsExactly(Map.entry(100, OptionalLong.empty()));
    }
  }

  @Test
  void aGpuWithoutProcessesHasAnEmptyListAndAFailedDriverHasNone() throws Exception {
    driver.set(0, "compute_processes", 0);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(gpus.thread.processes()).as("not read yet").isEmpty();
      assertThat(of(gpus.read(), 0)).containsEntry("gpu_processes{kind=\"compute\"}", 0.0);
      assertThat(lists(gpus)).hasSize(1);
      assertThat(lists(gpus).getFirst().processes()).isEmpty();
      driver.answer(0, "compute_processes", LOST);
      gpus.read();
      assertThat(lists(gpus)).as("a lost GPU").isEmpty();
    }
    driver.answer(0, "compute_processes", DENIED);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      assertThat(lists(gpus)).as("a list that may not be read").isEmpty();
    }
  }

  @Test
  void aListThatIsLongerThanExpectedIsReadWhole() throws Exception {
    driver.set(0, "compute_processes", 1_000);
    for (int i = 0; i < 300; i++) { // the script has no room for more
      driver.set(0, "compute." + i + ".pid", 5_000 + i);
    }
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(of(gpus.read(), 0)).containsEntry("gpu_processes{kind=\"compute\"}", 1_000.0);
      assertThat(memory(gpus)).hasSize(1_000).containsKey(5_299);
    }
  }

  @Test
  void moreProcessesThanAreReadAreCounted() throws Exception {
    driver.set(0, "compute_processes", 40_000);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(of(gpus.read(), 0)).containsEntry("gpu_processes{kind=\"compute\"}", 40_000.0);
      assertThat(lists(gpus)).isEmpty();
      driver.set(0, "compute_processes", 70_000);
      assertThat(of(gpus.read(), 0)).doesNotContainKey("gpu_processes{kind=\"compute\"}");
      assertThat(gpus.report())
          .containsEntry("gpu_probe_dropped_values_total{call=\"compute_processes\"}", 1.0);
    }
  }

  @Test
  void entriesOfEarlyR535DriversAreReadAtTheirWidth() throws Exception {
    StandIn early = new StandIn(folder, "-DEARLY_R535");
    early.begin(1);
    early.set(0, "process_stride", 32);
    processes(early, "", "compute", 100, MIB, 200, 2 * MIB, 300, 3 * MIB);
    checkThree(early);
  }

  @Test
  void entriesOfAnotherWidthThanTheDriversFunctionsSayAreReadAllTheSame() throws Exception {
    driver.set(0, "process_stride", 32);
    processes(driver, "", "compute", 100, MIB, 200, 2 * MIB, 300, 3 * MIB);
    checkThree(driver);
  }

  @Test
  void driversBeforeR510HaveTheOlderCall() throws Exception {
    StandIn older = new StandIn(folder, "-DBEFORE_R510");
    older.begin(1);
    processes(older, "", "compute", 100, MIB, 200, 2 * MIB, 300, 3 * MIB);
    checkThree(older);
  }

  private static void checkThree(StandIn driver) throws Exception {
    try (GpuFixture gpus = new GpuFixture(driver)) {
      for (int reading = 0; reading < 2; reading++) {
        assertThat(of(gpus.read(), 0)).containsEntry("gpu_processes{kind=\"compute\"}", 3.0);
        assertThat(memory(gpus))
            .containsExactly(
                Map.entry(100, OptionalLong.of(MIB)),
                Map.entry(200, OptionalLong.of(2 * MIB)),
                Map.entry(300, OptionalLong.of(3 * MIB)));
      }
    }
  }

  @Test
  void processesOfGpuInstancesAreReadFromTheInstancesAndNotOnceMoreFromTheGpu() throws Exception {
    driver.set(0, "mig", 1);
    instance(0, 1, 0);
    instance(1, 1, 1); // a second compute instance of the same GPU instance
    instance(2, 2, 0);
    processes(driver, "", "compute", 100, MIB, 200, 2 * MIB, 300, 3 * MIB);
    processes(driver, "mig.0.", "compute", 100, MIB);
    processes(driver, "mig.1.", "compute", 200, 2 * MIB, 100, MIB);
    processes(driver, "mig.2.", "compute", 300, 3 * MIB);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(of(gpus.read(), 0, 1)).containsEntry("gpu_processes{kind=\"compute\"}", 2.0);
      assertThat(lists(gpus)).hasSize(2);
      assertThat(memory(gpus, 0))
          .containsExactly(
              Map.entry(100, OptionalLong.of(MIB)), Map.entry(200, OptionalLong.of(2 * MIB)));
      assertThat(lists(gpus).getFirst().labels().value("GPU_I_ID")).isEqualTo("1");
      assertThat(memory(gpus, 1)).containsExactly(Map.entry(300, OptionalLong.of(3 * MIB)));
    }
  }

  @Test
  void theUtilisationOfAGpuIsDividedByTheSharesOfItsProcesses() throws Exception {
    driver.set(0, "gpu_percent", 90);
    processes(driver, "", "compute", 100, MIB, 200, MIB, 300, MIB);
    used(100, 80, 1_000, 100, 60, 2_000, 200, 60, 2_000, 900, 50, 2_000);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      assertThat(utilization(gpus))
          .as("the newest of each, and nothing of a process that has gone")
          .containsExactly(
              Map.entry(100, OptionalDouble.of(0.45)),
              Map.entry(200, OptionalDouble.of(0.45)),
              Map.entry(300, OptionalDouble.of(0)));
      driver.set(0, "gpu_percent", 0);
      gpus.read();
      assertThat(utilization(gpus).values()).as("none since").containsOnly(OptionalDouble.of(0));
      used(300, 20, 3_000);
      driver.set(0, "gpu_percent", 20);
      gpus.read();
      assertThat(utilization(gpus)).containsEntry(300, OptionalDouble.of(0.2));
    }
  }

  @Test
  void withoutAnAnswerOfTheDriverNoUtilisationIsTold() throws Exception {
    driver.set(0, "gpu_percent", 90);
    processes(driver, "", "compute", 100, MIB);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(GpuFixture.unsupported(gpus.read(), 0)).contains("gpu_process_utilization_ratio");
      assertThat(utilization(gpus)).containsExactly(Map.entry(100, OptionalDouble.empty()));
    }
  }

  private void used(int... pidsPercentAndTimes) {
    driver.set(0, "used_processes", pidsPercentAndTimes.length / 3);
    for (int i = 0; i < pidsPercentAndTimes.length / 3; i++) {
      driver.set(0, "used." + i + ".pid", pidsPercentAndTimes[3 * i]);
      driver.set(0, "used." + i + ".sm", pidsPercentAndTimes[3 * i + 1]);
      driver.set(0, "used." + i + ".time", pidsPercentAndTimes[3 * i + 2]);
    }
  }

  private void instance(int place, int instance, int compute) {
    driver.set(0, "mig." + place + ".instance", instance);
    driver.set(0, "mig." + place + ".compute", compute);
    driver.set(0, "mig." + place + ".slices", 3);
    driver.set(0, "mig." + place + ".mib", 40_448);
  }

  private static void processes(StandIn driver, String device, String kind, long... pidsAndBytes) {
    driver.set(0, device + kind + "_processes", pidsAndBytes.length / 2);
    for (int i = 0; i < pidsAndBytes.length / 2; i++) {
      driver.set(0, device + kind + "." + i + ".pid", pidsAndBytes[2 * i]);
      driver.setBits(0, device + kind + "." + i + ".bytes", pidsAndBytes[2 * i + 1]);
    }
  }

  private static List<GpuProcesses> lists(GpuFixture gpus) {
    return gpus.thread.processes().orElseThrow();
  }

  private static Map<Integer, OptionalLong> memory(GpuFixture gpus) {
    return memory(gpus, 0);
  }

  private static Map<Integer, OptionalLong> memory(GpuFixture gpus, int list) {
    Map<Integer, OptionalLong> memory = new TreeMap<>();
    for (GpuProcess process : lists(gpus).get(list).processes()) {
      memory.put(process.pid(), process.memoryBytes());
    }
    return memory;
  }

  private static Map<Integer, OptionalDouble> utilization(GpuFixture gpus) {
    Map<Integer, OptionalDouble> utilization = new TreeMap<>();
    for (GpuProcess process : lists(gpus).getFirst().processes()) {
      utilization.put(process.pid(), process.utilization());
    }
    return utilization;
  }
}

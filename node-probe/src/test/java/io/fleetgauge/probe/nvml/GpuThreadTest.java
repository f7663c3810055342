package io.fleetgauge.probe.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Against a library with NVML's ABI, through the production binding. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GpuThreadTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private StandIn standIn;

  @BeforeAll
  void build(@TempDir Path folder) throws Exception {
    standIn = new StandIn(folder);
  }

  @BeforeEach
  void reset() {
    standIn.script.stand_in_gpus(0);
  }

  @Test
  void readingsComeInTheUnitsOfDcgmExporter() throws Exception {
    standIn.script.stand_in_gpus(2);
    standIn.fill(1);
    try (GpuThread gpus = new GpuThread(standIn.library.toString())) {
      Tick tick = read(gpus);
      assertThat(values(tick, "1")).isEqualTo(standIn.expected());
      assertThat(standIn.expected().keySet())
          .allMatch(metric -> KnownMetrics.all().containsKey(metric));
      assertThat(values(tick, "0")).hasSize(all());
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
      assertThat(gpus.state()).isEmpty();
    }
    assertThat(standIn.script.stand_in_initialised()).isZero();
  }

  @Test
  void whatAGpuDoesNotSupportGivesNoSampleAndIsAskedOnce() throws Exception {
    standIn.script.stand_in_gpus(1);
    standIn.fill(0);
    standIn.script.stand_in_answer(0, "power", NvmlReturn.NOT_SUPPORTED);
    try (GpuThread gpus = new GpuThread(standIn.library.toString())) {
      for (int i = 0; i < 3; i++) {
        assertThat(values(read(gpus), "0"))
            .hasSize(all() - 1)
            .doesNotContainKey("DCGM_FI_DEV_POWER_USAGE");
      }
      assertThat(gpus.errors()).containsExactly(Map.entry(List.of("power", "3"), 1L));
    }
  }

  @Test
  void olderDriversAreReadWithTheirOlderMemoryCall() throws Exception {
    standIn.script.stand_in_gpus(1);
    standIn.fill(0);
    standIn.script.stand_in_answer(0, "memory_v2", NvmlReturn.FUNCTION_NOT_FOUND);
    try (GpuThread gpus = new GpuThread(standIn.library.toString())) {
      for (int i = 0; i < 2; i++) {
        assertThat(values(read(gpus), "0"))
            .containsEntry("DCGM_FI_DEV_FB_TOTAL", 81_559.0)
            .containsEntry("DCGM_FI_DEV_FB_USED", 1_551.0)
            .doesNotContainKey("DCGM_FI_DEV_FB_RESERVED");
      }
    }
  }

  @Test
  void aFunctionThatTheDriverLacksIsAStateAndNotAFailure(@TempDir Path folder) throws Exception {
    StandIn older = new StandIn(folder, "-DWITHOUT_ENERGY");
    older.script.stand_in_gpus(1);
    older.fill(0);
    try (GpuThread gpus = new GpuThread(older.library.toString())) {
      assertThat(values(read(gpus), "0"))
          .hasSize(all() - 1)
          .doesNotContainKey("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION");
      assertThat(gpus.errors()).containsExactly(Map.entry(List.of("energy", "13"), 1L));
    }
  }

  @Test
  void aLostGpuIsLeftAloneAndTheOthersAreRead() throws Exception {
    standIn.script.stand_in_gpus(2);
    standIn.fill(0);
    standIn.fill(1);
    try (GpuThread gpus = new GpuThread(standIn.library.toString())) {
      read(gpus);
      standIn.script.stand_in_answer(0, "utilization", NvmlReturn.GPU_IS_LOST);
      for (int i = 0; i < 3; i++) {
        Tick tick = read(gpus);
        assertThat(values(tick, "0")).isEmpty();
        assertThat(values(tick, "1")).hasSize(all());
      }
      assertThat(gpus.errors()).containsExactly(Map.entry(List.of("utilization", "15"), 1L));
      standIn.script.stand_in_answer(0, "utilization", NvmlReturn.SUCCESS);
      int ticks = 0;
      while (values(read(gpus), "0").isEmpty()) {
        assertThat(++ticks).as("ticks until a lost GPU is looked for again").isLessThan(50);
      }
    }
  }

  @Test
  void noLibraryAndNoGpusAreSaidAndLookedForAgain() throws Exception {
    try (GpuThread gpus = new GpuThread("/nonexistent/libnvidia-ml.so.1")) {
      assertThat(read(gpus).size()).isZero();
      assertThat(gpus.state()).contains("/nonexistent/libnvidia-ml.so.1 is not here");
    }
    standIn.script.stand_in_library_answer("init", NvmlReturn.DRIVER_NOT_LOADED);
    try (GpuThread gpus = new GpuThread(standIn.library.toString())) {
      assertThat(read(gpus).size()).isZero();
      assertThat(gpus.state()).contains("initialisation answered 9");
      standIn.script.stand_in_library_answer("init", NvmlReturn.SUCCESS);
      standIn.script.stand_in_gpus(1);
      int ticks = 0;
      while (read(gpus).size() == 0) {
        assertThat(++ticks).as("ticks until the driver is looked for again").isLessThan(50);
      }
      assertThat(gpus.state()).isEmpty();
    }
  }

  @Test
  void aCallThatBlocksCostsReadingsAndNotTheProbe() throws Exception {
    standIn.script.stand_in_gpus(1);
    standIn.fill(0);
    try (GpuThread gpus = new GpuThread(standIn.library.toString())) {
      read(gpus);
      standIn.script.stand_in_hold("power");
      Duration soon = Duration.ofMillis(50);
      assertThat(gpus.read(soon)).isEmpty();
      await().until(() -> standIn.script.stand_in_waiting() == 1);
      assertThat(gpus.read(soon)).isEmpty();
      assertThat(gpus.read(soon)).isEmpty();
      assertThat(standIn.script.stand_in_waiting()).as("blocked calls").isEqualTo(1);
      assertThat(gpus.missed()).isEqualTo(3);
      standIn.script.stand_in_hold("");
      await().until(() -> gpus.read(LIMIT).isPresent());
      assertThat(values(read(gpus), "0")).hasSize(all());
    } finally {
      standIn.script.stand_in_hold("");
    }
  }

  @Test
  void closingDoesNotWaitForAStuckCall() throws Exception {
    standIn.script.stand_in_gpus(1);
    GpuThread gpus = new GpuThread(standIn.library.toString());
    read(gpus);
    standIn.script.stand_in_hold("utilization");
    try {
      assertThat(gpus.read(Duration.ofMillis(50))).isEmpty();
      await().until(() -> standIn.script.stand_in_waiting() == 1);
      gpus.close();
      assertThat(standIn.script.stand_in_initialised()).as("left as it was").isEqualTo(1);
    } finally {
      standIn.script.stand_in_hold("");
      await().until(() -> standIn.script.stand_in_initialised() == 0);
    }
  }

  /** How many metrics a GPU has that supports all of them. */
  private int all() {
    return standIn.expected().size();
  }

  private static Tick read(GpuThread gpus) throws InterruptedException {
    Optional<Tick.Builder> reading = gpus.read(LIMIT);
    assertThat(reading).isPresent();
    return reading.get().at(0);
  }

  private static Map<String, Double> values(Tick tick, String gpu) {
    Map<String, Double> values = new TreeMap<>();
    for (int i = 0; i < tick.size(); i++) {
      if (tick.series().get(i).value("gpu").equals(gpu)) {
        values.put(tick.series().get(i).metric(), tick.values()[i]);
      }
    }
    return values;
  }
}

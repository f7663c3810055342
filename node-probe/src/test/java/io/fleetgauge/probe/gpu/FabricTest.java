package io.fleetgauge.probe.gpu;

import static io.fleetgauge.probe.gpu.GpuFixture.of;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.gpu.reading.FullGpu;
import io.fleetgauge.probe.gpu.reading.LinkSeries;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.probe.nvml.StandIn;
import io.fleetgauge.sample.gpu.Tier;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fabric of NVSwitches, and the series of NVLinks that hang on it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FabricTest {
  private static final int LINKS = 18;
  private static final int IN_PROGRESS = 2;
  private static final int COMPLETED = 3;
  private static final String INFO =
      "gpu_fabric_info{clique_id=\"2\", cluster_uuid=\"" + FullGpu.CLUSTER + "\"}";

  private StandIn driver;

  @BeforeAll
  void build(@TempDir Path folder) throws Exception {
    driver = new StandIn(folder);
  }

  /** A GPU of a cluster of several nodes. */
  private static void register(StandIn driver, int state) {
    driver.begin(1);
    driver.set(0, "fabric_state", state);
    driver.set(0, "fabric_clique", 2);
    driver.setBits(0, "fabric_cluster.0", FullGpu.CLUSTER.getMostSignificantBits());
    driver.setBits(0, "fabric_cluster.1", FullGpu.CLUSTER.getLeastSignificantBits());
  }

  private static Map<String, Double> fabric(GpuFixture gpus) throws Exception {
    Map<String, Double> found = new TreeMap<>(of(gpus.read(), 0));
    found.keySet().removeIf(series -> !series.matches("(gpu|DCGM_FI_DEV)_(fabric|FABRIC).*"));
    return found;
  }

  private static Map<String, Double> ready(int completed, int success, int clique, int cluster) {
    return Map.of(
        "gpu_fabric_ready{condition=\"completed\"}", (double) completed,
        "gpu_fabric_ready{condition=\"success\"}", (double) success,
        "gpu_fabric_ready{condition=\"clique\"}", (double) clique,
        "gpu_fabric_ready{condition=\"cluster\"}", (double) cluster);
  }

  @Test
  void aRegisteredGpuMeetsAllConditionsAndNamesItsClusterAndClique() throws Exception {
    register(driver, COMPLETED);
    driver.set(0, "fabric_summary", 1);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(fabric(gpus))
          .containsAllEntriesOf(ready(1, 1, 1, 1))
          .containsEntry(INFO, 1.0)
          .containsEntry("gpu_fabric_health_summary", 1.0)
          .hasSize(8);
    }
  }

  @Test
  void theSecondFormLacksOnlyTheSummary() throws Exception {
    register(driver, COMPLETED);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(fabric(gpus))
          .containsAllEntriesOf(ready(1, 1, 1, 1))
          .containsKeys(INFO, "DCGM_FI_DEV_FABRIC_HEALTH_MASK")
          .hasSize(7);
      assertThat(gpus.thread.errors()).containsEntry(List.of("fabric", "25"), 1L);
    }
  }

  @Test
  void theFirstFormIsReadOfDriversThatHaveNoOther(@TempDir Path folder) throws Exception {
    StandIn older = new StandIn(folder, "-DDRIVER_535");
    register(older, COMPLETED);
    try (GpuFixture gpus = new GpuFixture(older)) {
      for (int i = 0; i < 2; i++) {
        assertThat(fabric(gpus))
            .containsAllEntriesOf(ready(1, 1, 1, 1))
            .containsEntry("DCGM_FI_DEV_FABRIC_MANAGER_STATUS", 3.0)
            .containsKey(INFO)
            .hasSize(6);
      }
      assertThat(gpus.thread.errors())
          .containsEntry(List.of("fabric", "13"), 1L)
          .containsEntry(List.of("fabric_v2", "13"), 1L);
    }
  }

  @Test
  void nothingIsReadyUntilTheRegistrationHasCompleted() throws Exception {
    register(driver, IN_PROGRESS);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(fabric(gpus)).containsAllEntriesOf(ready(0, 0, 0, 0)).doesNotContainKey(INFO);
      driver.set(0, "fabric_state", COMPLETED);
      driver.set(0, "fabric_status", NvmlReturn.UNKNOWN);
      assertThat(fabric(gpus)).containsAllEntriesOf(ready(1, 0, 1, 1)).containsKey(INFO);
    }
  }

  @Test
  void aFabricWithinANodeHasNoClusterAndNoClique() throws Exception {
    driver.begin(1);
    driver.set(0, "fabric_state", COMPLETED);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(fabric(gpus)).containsAllEntriesOf(ready(1, 1, 0, 0)).hasSize(6);
    }
  }

  @Test
  void aBoardWithoutAFabricHasNoConditions() throws Exception {
    driver.begin(1);
    driver.set(0, "fabric_state", 0);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(fabric(gpus))
          .containsOnlyKeys("DCGM_FI_DEV_FABRIC_MANAGER_STATUS", "DCGM_FI_DEV_FABRIC_HEALTH_MASK");
    }
  }

  @ParameterizedTest
  @CsvSource({"0, false", "1, true", "2, true", "3, true", "4, false", "-1, false"})
  void stateAndErrorsOfLinksAreReadOfBoardsThatHaveAFabric(int state, boolean read)
      throws Exception {
    driver.begin(1);
    driver.set(0, "field.91", LINKS);
    if (state >= 0) {
      driver.set(0, "fabric_state", state);
    }
    for (int link = 0; link < LINKS; link++) {
      for (int field : new int[] {138, 139, 161, 162, 163, 164, 165, 202, 204}) {
        driver.set(0, "field." + field + (link == 0 ? "" : "." + link), 1);
      }
    }
    try (GpuFixture gpus = new GpuFixture(driver, LinkSeries.OF_SWITCHES)) {
      Map<String, Double> links = new TreeMap<>(of(gpus.read(), 0));
      links.keySet().removeIf(series -> !series.contains("nvlink=\""));
      assertThat(links).hasSize(read ? 4 * LINKS : 0);
      assertThat(links.keySet()).allMatch(series -> series.matches("gpu_nvlink_(state|errors).*"));
      Map<String, Double> later = of(gpus.read(EnumSet.of(Tier.LINK)), 0);
      assertThat(later.keySet()).isEqualTo(links.keySet());
    }
  }

  @Test
  void theErrorsOfNewerLinksCountRecoveriesOnce() throws Exception {
    register(driver, COMPLETED);
    driver.set(0, "field.91", 2);
    driver.set(0, "field.215", 9);
    driver.set(0, "field.214", 2);
    driver.set(0, "field.208", 4);
    driver.set(0, "field.162.1", 5);
    driver.set(0, "field.215.1", 6);
    try (GpuFixture gpus = new GpuFixture(driver, LinkSeries.OF_SWITCHES)) {
      assertThat(of(gpus.read(), 0))
          .containsEntry("gpu_nvlink_errors_total{error=\"recovery\", nvlink=\"0\"}", 9.0)
          .containsEntry("gpu_nvlink_errors_total{error=\"recovery_failed\", nvlink=\"0\"}", 2.0)
          .containsEntry("gpu_nvlink_errors_total{error=\"receive\", nvlink=\"0\"}", 4.0)
          .containsEntry("gpu_nvlink_errors_total{error=\"recovery\", nvlink=\"1\"}", 5.0);
    }
  }
}

package io.fleetgauge.probe.gpu;

import static io.fleetgauge.probe.gpu.GpuFixture.of;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.nvml.StandIn;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** GPU instances appear, change and vanish without a restart. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MigTest {
  private static final long H100 = 81_559L << 20;

  private StandIn driver;

  @BeforeAll
  void build(@TempDir Path folder) throws Exception {
    driver = new StandIn(folder);
  }

  @BeforeEach
  void reset() {
    driver.awaitEnd();
    driver.begin(1);
    driver.set(0, "total", H100);
    driver.set(0, "reserved", 500L << 20);
    driver.set(0, "used", 60L << 20);
    driver.set(0, "celsius", 40);
    driver.set(0, "gpm", 1);
    driver.set(0, "gpm.2", 30);
    driver.set(0, "mig", 1);
    driver.set(0, "mig_pending", 1);
  }

  private void instance(int place, int id, int slices, long mib, long used) {
    String mig = "mig." + place + ".";
    driver.set(0, mig + "instance", id);
    driver.set(0, mig + "compute", 0);
    driver.set(0, mig + "slices", slices);
    driver.set(0, mig + "mib", mib);
    driver.set(0, mig + "total", mib << 20);
    driver.set(0, mig + "reserved", 0);
    driver.set(0, mig + "used", used << 20);
    driver.set(0, mig + "compute_processes", 2);
    driver.set(0, "gpm." + id + ".2", 10 * id);
  }

  @Test
  void anInstanceHasItsIdAndProfileAndItsOwnMemoryProcessesAndActivity() throws Exception {
    instance(0, 1, 3, 40_448, 11_125);
    instance(3, 9, 1, 9_856, 7);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      gpus.pass(15);
      Tick tick = gpus.read();
      assertThat(profiles(tick)).containsExactly("1 3g.40gb", "9 1g.10gb");
      assertThat(of(tick, 0, 1))
          .containsEntry("DCGM_FI_DEV_FB_USED", 11_125.0)
          .containsEntry("DCGM_FI_DEV_FB_TOTAL", 40_448.0)
          .containsEntry("DCGM_FI_DEV_FB_USED_PERCENT", 11_125 / 40_448.0)
          .containsEntry("DCGM_FI_PROF_SM_ACTIVE", 0.1)
          .containsEntry("gpu_processes{kind=\"compute\"}", 2.0)
          .doesNotContainKey("DCGM_FI_DEV_GPU_TEMP");
      assertThat(of(tick, 0, 9))
          .containsEntry("DCGM_FI_DEV_FB_USED", 7.0)
          .containsEntry("DCGM_FI_PROF_SM_ACTIVE", 0.9);
      assertThat(of(tick, 0))
          .containsEntry("DCGM_FI_DEV_FB_USED", 60.0)
          .containsEntry("DCGM_FI_DEV_GPU_TEMP", 40.0)
          .containsEntry("DCGM_FI_PROF_SM_ACTIVE", 0.3)
          .doesNotContainKey("DCGM_FI_DEV_GPU_UTIL");
      assertThat(tick.series())
          .filteredOn(labels -> !labels.value("GPU_I_ID").isEmpty())
          .allSatisfy(labels -> assertThat(labels.value("UUID")).startsWith("GPU-"));
    }
    driver.awaitEnd();
    assertThat(driver.samples()).isZero();
  }

  @Test
  void aNewLayoutIsReadAtOnceAndItsActivityIsNotThatOfTheOldOne() throws Exception {
    instance(0, 1, 3, 40_448, 11_125);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      gpus.read();
      gpus.pass(15);
      assertThat(of(gpus.read(), 0, 1)).containsKey("DCGM_FI_PROF_SM_ACTIVE");
      instance(0, 1, 2, 20_096, 5); // the same place and id, another profile
      gpus.pass(15);
      Tick changed = gpus.read();
      assertThat(profiles(changed)).containsExactly("1 2g.20gb");
      assertThat(of(changed, 0, 1))
          .containsEntry("DCGM_FI_DEV_FB_USED", 5.0)
          .doesNotContainKey("DCGM_FI_PROF_SM_ACTIVE");
      gpus.pass(15);
      assertThat(of(gpus.read(), 0, 1)).containsKey("DCGM_FI_PROF_SM_ACTIVE");
      driver.remove(0, "mig.0.instance");
      instance(2, 5, 1, 9_856, 1);
      assertThat(profiles(gpus.read())).containsExactly("5 1g.10gb");
    }
    driver.awaitEnd();
    assertThat(driver.samples()).isZero();
  }

  @Test
  void instancesGoWhenTheModeIsTurnedOffAndComeWhenItIsTurnedOn() throws Exception {
    instance(0, 1, 7, 81_008, 5);
    driver.set(0, "mig", 0);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(profiles(gpus.read())).isEmpty();
      driver.set(0, "mig", 1);
      assertThat(profiles(gpus.read())).containsExactly("1 7g.80gb");
      driver.set(0, "mig", 0);
      assertThat(profiles(gpus.read())).isEmpty();
      driver.set(0, "mig", 1);
      assertThat(profiles(gpus.read())).containsExactly("1 7g.80gb");
    }
  }

  @Test
  void whatAGpuDoesNotAnswerWhileItIsDividedIsAskedAgainWhenItIsWhole() throws Exception {
    try (GpuFixture gpus = new GpuFixture(driver)) {
      assertThat(of(gpus.read(), 0)).doesNotContainKey("DCGM_FI_DEV_GPU_UTIL");
      driver.set(0, "mig", 0);
      driver.set(0, "gpu_percent", 7);
      driver.set(0, "gpm.3", 40);
      gpus.read(); // sees the layout after the questions were asked
      gpus.pass(15);
      gpus.read();
      gpus.pass(15);
      assertThat(of(gpus.read(), 0))
          .containsEntry("DCGM_FI_DEV_GPU_UTIL", 7.0)
          .containsEntry("DCGM_FI_PROF_SM_ACTIVE", 0.3)
          .containsEntry("DCGM_FI_PROF_SM_OCCUPANCY", 0.4)
          .containsEntry("DCGM_FI_DEV_GPU_TEMP", 40.0);
    }
    driver.awaitEnd();
    assertThat(driver.samples()).isZero();
  }

  @Test
  void ofTwoComputeInstancesInOneGpuInstanceTheGpuInstanceIsReadOnce() throws Exception {
    instance(0, 1, 3, 40_448, 11);
    instance(1, 1, 3, 40_448, 11);
    driver.set(0, "mig.1.compute", 1);
    try (GpuFixture gpus = new GpuFixture(driver)) {
      Tick tick = gpus.read();
      assertThat(new HashSet<>(tick.series())).hasSameSizeAs(tick.series());
      assertThat(profiles(tick)).containsExactly("1 3g.40gb");
    }
  }

  private static Set<String> profiles(Tick tick) {
    Set<String> profiles = new TreeSet<>();
    for (Labels labels : tick.series()) {
      if (!labels.value("GPU_I_ID").isEmpty()) {
        profiles.add(labels.value("GPU_I_ID") + " " + labels.value("GPU_I_PROFILE"));
      }
    }
    return profiles;
  }
}

package io.fleetgauge.probe.xid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.probe.nvml.StandIn;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Events of the stand-in driver and a kernel log of the test, as series. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class XidSamplingTest {
  private static final TickClass CORE = new TickClass(Duration.ofSeconds(15));
  private static final Labels GPU =
      Labels.of("gpu", "0", "UUID", "GPU-0", "pci_bus_id", "00000000:3B:00.0");

  private StandIn driver;
  private final List<String> critical = new CopyOnWriteArrayList<>();
  private volatile long now = 1_700_000_000_000L;

  @BeforeAll
  void build(@TempDir Path folder) throws Exception {
    driver = new StandIn(folder);
  }

  private XidSampling sampling(Path device, Path proc) {
    return new XidSampling(
        driver.library.toString(),
        List.of(),
        device,
        proc,
        () -> List.of(GPU),
        CORE,
        () -> now,
        (address, code, time) -> critical.add(address + " " + code + " " + time));
  }

  @Test
  void anErrorThatDriverAndKernelTellCountsOnceAndCriticalCodesBeginAtZero(@TempDir Path folder)
      throws Exception {
    critical.clear();
    driver.begin(1);
    driver.set(0, "event_types", 0x1fL);
    Path pipe = folder.resolve("kmsg");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    try (XidSampling xids = sampling(pipe, folder);
        OutputStream kernel = Files.newOutputStream(pipe)) {
      await().until(xids::isFollowing);
      Map<String, Double> before = read(xids);
      assertThat(before)
          .containsEntry("DCGM_FI_DEV_XID_ERRORS 0", 0.0)
          .containsEntry("gpu_xid_total 0 79", 0.0)
          .containsEntry("gpu_xid_total 0 119", 0.0)
          .containsEntry("gpu_probe_xid_source_up events", 1.0)
          .containsEntry("gpu_probe_xid_source_up kernel_log", 1.0)
          .doesNotContainKeys("gpu_xid_total 0 31", "gpu_xid_last_timestamp_seconds 0 79");
      driver.event(0, 0x8, 79);
      await().until(() -> read(xids).get("gpu_xid_total 0 79") == 1);
      kernel.write(
          "3,1,5,-;NVRM: Xid (PCI:0000:3b:00): 79, off\n3,2,6,-;NVRM: Xid (PCI:0000:3b:00): 31, x\n"
              .getBytes(StandardCharsets.US_ASCII));
      kernel.flush();
      await().until(() -> read(xids).get("gpu_probe_kernel_lines_total read") == 2);
      assertThat(read(xids))
          .containsEntry("gpu_xid_total 0 79", 1.0)
          .containsEntry("gpu_xid_last_timestamp_seconds 0 79", now / 1000.0);
      now += 5_000;
      driver.event(0, 0x8, 79);
      driver.event(0, 0x10, 48); // a change of clocks
      await().until(() -> read(xids).get("gpu_xid_total 0 79") == 2);
      assertThat(read(xids))
          .containsEntry("DCGM_FI_DEV_XID_ERRORS 0", 79.0)
          .containsEntry("gpu_xid_total 0 48", 0.0);
      assertThat(critical)
          .as("each critical error once, as it happens")
          .containsExactly("00000000:3B:00.0 79 " + (now - 5_000), "00000000:3B:00.0 79 " + now);
    }
    await().until(() -> driver.initialised() == 0);
  }

  @Test
  void aSetThatTheDriverRefusesIsGivenBackAndTheKernelStillTells(@TempDir Path folder)
      throws Exception {
    driver.begin(1);
    driver.set(0, "event_types", 0x8);
    Path pipe = folder.resolve("kmsg");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    try (XidSampling xids = sampling(pipe, folder);
        OutputStream kernel = Files.newOutputStream(pipe)) {
      await().until(xids::isFollowing);
      driver.answerOfLibrary("event_wait", NvmlReturn.UNINITIALIZED);
      await().until(() -> read(xids).get("gpu_probe_xid_source_up events") == 0);
      await().until(() -> driver.initialised() == 0);
      kernel.write(
          "3,1,5,-;NVRM: GPU 0000:3c:00.0: GPU has fallen off the bus.\n"
              .getBytes(StandardCharsets.US_ASCII));
      kernel.flush();
      // Of a GPU that the driver does not count its address is known.
      await()
          .until(
              () -> read(xids).getOrDefault("DCGM_FI_DEV_XID_ERRORS 00000000:3C:00.0", 0.0) == 79);
    }
  }

  @Test
  void aLostGpuDoesNotEndTheEventsOfTheOthers(@TempDir Path folder) {
    driver.begin(1);
    driver.set(0, "event_types", 0x8);
    try (XidSampling xids = sampling(folder.resolve("nowhere"), folder)) {
      await().until(() -> read(xids).get("gpu_probe_xid_source_up events") == 1);
      driver.answerOfLibrary("event_wait", NvmlReturn.GPU_IS_LOST);
      await().until(() -> read(xids).get("gpu_probe_xid_source_up events") == 0);
      driver.answerOfLibrary("event_wait", NvmlReturn.SUCCESS);
      driver.event(0, 0x8, 48);
      await().until(() -> read(xids).getOrDefault("gpu_xid_total 0 48", 0.0) == 1);
    }
  }

  @Test
  void anEventWithoutACodeThatAnErrorCanHaveIsNotCounted(@TempDir Path folder) {
    driver.begin(2);
    driver.set(0, "event_types", 0x8);
    driver.set(1, "event_types", 0x10); // it does not tell errors
    try (XidSampling xids = sampling(folder.resolve("nowhere"), folder)) {
      await().until(() -> read(xids).get("gpu_probe_xid_source_up events") == 1);
      driver.event(0, 0x8, 0);
      driver.event(0, 0x8, -1);
      driver.event(0, 0x8, 1_000);
      driver.event(0, 0x8, 999);
      await().until(() -> read(xids).getOrDefault("gpu_xid_total 0 999", 0.0) == 1);
      assertThat(read(xids).keySet())
          .filteredOn(each -> each.startsWith("gpu_xid_last_timestamp_seconds"))
          .containsExactly("gpu_xid_last_timestamp_seconds 0 999");
    }
  }

  @Test
  void aDriverWithoutEventsIsNoSource(@TempDir Path folder) {
    driver.begin(1);
    driver.set(0, "event_types", 0x10);
    long before = driver.calls();
    try (XidSampling xids = sampling(folder.resolve("nowhere"), folder)) {
      await().until(() -> driver.calls() > before && driver.initialised() == 0);
      assertThat(read(xids)).containsEntry("gpu_probe_xid_source_up events", 0.0);
      assertThat(xids.isFollowing()).isFalse();
    }
  }

  private static Map<String, Double> read(XidSampling xids) {
    Readings readings = new Readings();
    xids.read(Set.of(CORE), readings);
    Tick tick = readings.of(CORE).at(0);
    Map<String, Double> values = new TreeMap<>();
    for (int i = 0; i < tick.size(); i++) {
      Labels labels = tick.series().get(i);
      String of = labels.value("gpu").isEmpty() ? labels.value("pci_bus_id") : labels.value("gpu");
      String more = labels.value("xid") + labels.value("result") + labels.value("source");
      values.put(
          (labels.metric() + " " + of + " " + more).strip().replace("  ", " "), tick.values()[i]);
    }
    return values;
  }
}

package io.fleetgauge.probe.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.probe.config.RecentSettings;
import io.fleetgauge.probe.gpu.GpuSource;
import io.fleetgauge.probe.gpu.GpuThread;
import io.fleetgauge.probe.gpu.reading.FullGpu;
import io.fleetgauge.probe.gpu.reading.LinkSeries;
import io.fleetgauge.probe.host.reading.Faults;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.probe.nvml.StandIn;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.probe.sampling.TickSink;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.GpuEvent;
import io.fleetgauge.sample.gpu.Tier;
import io.fleetgauge.sample.relabel.Relabelling;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The stand-in driver, read every second, with scripted faults; the test turns the clock. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RecorderTest {
  private static final long T = 1_700_000_000_000L;
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final String POWER = "gpu_recent_power_watts";

  /** A step at which a driver that answers is never late in a test. */
  private static final RecentSettings SETTINGS =
      new RecentSettings(
          true, Duration.ofSeconds(1), Duration.ofMinutes(2), Duration.ofSeconds(5), 4, 6, true);

  @TempDir private Path folder;
  private StandIn driver;
  private final BlockingQueue<List<Tick>> sent = new LinkedBlockingQueue<>();
  private volatile long seconds;
  private GpuThread gpus;
  private Recorder recorder;
  private Path spool;

  @BeforeAll
  void build(@TempDir Path built) throws Exception {
    driver = new StandIn(built);
  }

  @BeforeEach
  void begin() throws Exception {
    seconds = 0;
    sent.clear();
    spool = folder.resolve("faults-" + System.nanoTime());
    driver.begin(2);
    FullGpu.fill(driver, 0);
    FullGpu.fill(driver, 1);
    for (int gpu = 0; gpu < 2; gpu++) {
      driver.set(gpu, "field.230", 0);
      driver.set(gpu, "field.145", 0);
    }
    gpus =
        new GpuThread(
            new GpuSource(driver.library.toString(), List.of(), LinkSeries.NONE, 0),
            () -> seconds * 1_000_000_000L);
    assertThat(gpus.read(EnumSet.allOf(Tier.class), LIMIT)).isPresent();
    recorder = recorder(SETTINGS);
  }

  private Recorder recorder(RecentSettings settings) {
    return new Recorder(
        settings,
        Optional.of(gpus),
        new NodeFiles(folder, folder, folder, new Faults()),
        new NodeLabels(Labels.of("Hostname", "n1"), Relabelling.NONE),
        Optional.of(spool),
        () -> T + seconds * 1_000,
        () -> seconds * 1_000_000_000L,
        sent::add);
  }

  @AfterEach
  void end() {
    driver.letGo();
    recorder.close();
    gpus.close();
  }

  /** Seconds pass; in each the power is its number. */
  private void pass(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      seconds++;
      String cpu = "cpu  " + 75 * seconds + " 0 0 " + 25 * seconds + " 0 0 0 0 0 0\n";
      Files.writeString(folder.resolve("stat"), cpu);
      driver.set(0, "power", seconds * 1_000);
      recorder.read(T + seconds * 1_000);
    }
  }

  private static Window all(Recorder of, String metric, int gpu) {
    return of.window()
        .select(
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            series ->
                series.metric().equals(metric)
                    && series.value("gpu").equals(gpu < 0 ? "" : Integer.toString(gpu)));
  }

  @Test
  void theLastMinutesHaveAValueForEachSecond() throws Exception {
    pass(3);
    Window power = all(recorder, POWER, 0);
    assertThat(power.first()).isEqualTo(T + 1_000);
    assertThat(power.values()[0]).containsExactly(1, 2, 3);
    assertThat(power.series().getFirst().value("UUID")).startsWith("GPU-00000000");
    assertThat(all(recorder, "gpu_recent_tensor_active_ratio", 1).values()[0])
        .as("a mean since the second before")
        .containsExactly(Float.NaN, 0.1125f, 0.1125f);
    pass(300);
    assertThat(all(recorder, POWER, 0).rows()).isEqualTo(121);
    assertThat(recorder.bytes()).isLessThan(20 << 10);
  }

  @Test
  void aDriverThatAnswersLateLeavesGapsAndTheHostGoesOn() throws Exception {
    pass(2);
    driver.hold("clock");
    pass(1);
    await().until(() -> driver.waiting() == 1);
    pass(2);
    driver.letGo();
    await().until(() -> gpus.readQuick(LIMIT).isPresent());
    pass(1);
    assertThat(all(recorder, POWER, 0).values()[0])
        .containsExactly(1, 2, Float.NaN, Float.NaN, Float.NaN, 6);
    assertThat(recorder.late()).isEqualTo(3);
    assertThat(recorder.rows()).isEqualTo(6);
  }

  @Test
  void aCriticalXidKeepsAWindowSendsItAndTellsOfIt() throws Exception {
    pass(10);
    recorder.xid("00000000:3B:00.0", 79, T + 10_000);
    pass(5);
    assertThat(recorder.faults()).hasSize(1);
    FaultWindow window = recorder.faults().getFirst();
    assertThat(window.first().uuid()).startsWith("GPU-00000000");
    List<Tick> ticks = sent.poll(120, TimeUnit.SECONDS);
    assertThat(ticks).hasSize(16);
    for (int i = 0; i < 15; i++) {
      assertThat(ticks.get(i).time()).isEqualTo(T + (i + 1) * 1_000);
      assertThat(value(ticks.get(i), POWER)).isEqualTo(i + 1);
    }
    assertThat(value(ticks.get(5), "gpu_recent_utilization_ratio"))
        .as("with the digits of what was read")
        .isEqualTo(0.87);
    Set<Labels> begun = new HashSet<>();
    ticks.subList(0, 15).forEach(tick -> begun.addAll(tick.series()));
    assertThat(begun)
        .allMatch(series -> series.value("fault").equals(window.id()))
        .allMatch(series -> series.value("Hostname").equals("n1"))
        .noneMatch(series -> series.value("gpu").equals("1"));
    assertThat(value(ticks.get(9), "node_recent_cpu_busy_ratio")).isEqualTo(0.75);
    Tick end = ticks.getLast();
    assertThat(end.time()).isEqualTo(T + 16_000);
    assertThat(new HashSet<>(end.series())).as("each series ends").isEqualTo(begun);
    assertThat(end.values()).containsOnly(Staleness.MARKER);
    Map<String, Double> report = report();
    assertThat(report)
        .containsEntry("gpu_fault_window_timestamp_seconds xid 79 0", T / 1000.0 + 10)
        .containsEntry("gpu_fault_windows_total kept", 1.0)
        .containsEntry("gpu_fault_windows_total not_saved", 0.0)
        .containsEntry("gpu_recent_readings_total read", 15.0);
  }

  @Test
  void aLostGpuAnUncorrectableErrorAndAnAskedRecoveryAreFaultsOnce() throws Exception {
    pass(2);
    driver.set(1, "field.4", 33);
    pass(1);
    driver.set(1, "field.230", 1);
    driver.set(1, "field.145", 1);
    pass(1);
    driver.answer(1, "utilization", NvmlReturn.GPU_IS_LOST);
    pass(4);
    assertThat(recorder.faults()).hasSize(1);
    assertThat(recorder.faults().getFirst().faults())
        .extracting(GpuFault::kind)
        .containsExactlyInAnyOrder(
            GpuEvent.ECC_UNCORRECTED,
            GpuEvent.RECOVERY_ACTION,
            GpuEvent.ROW_REMAP_FAILURE,
            GpuEvent.GPU_LOST);
    assertThat(recorder.faults().getFirst().first().kind()).isEqualTo(GpuEvent.ECC_UNCORRECTED);
    pass(20);
    assertThat(recorder.faults()).as("what is known is no new fault").hasSize(1);
  }

  @Test
  void aHungDriverKeepsTheMinuteBeforeItsCall() throws Exception {
    pass(30);
    driver.hold("clock");
    pass(1);
    await().until(() -> driver.waiting() == 1);
    seconds += 61;
    recorder.read(T + seconds * 1_000);
    FaultWindow window = recorder.faults().getFirst();
    assertThat(window.first().kind()).isEqualTo(GpuEvent.DRIVER_HUNG);
    assertThat(window.first().time()).isEqualTo(T + 31_000);
    int power =
        window.readings().series().stream()
            .map(series -> series.metric() + series.value("gpu"))
            .toList()
            .indexOf(POWER + "0");
    assertThat(window.readings().values()[power]).startsWith(1, 2, 3).contains(30);
    assertThat(window.readings().values()[power][30]).isNaN();
    assertThat(sent.poll(120, TimeUnit.SECONDS).getFirst().series())
        .extracting(series -> series.value("gpu"))
        .contains("0", "1");
    seconds++;
    recorder.read(T + seconds * 1_000);
    assertThat(recorder.faults()).hasSize(1);
    assertThat(report()).containsKey("gpu_fault_window_timestamp_seconds driver_hung  ");
  }

  @Test
  void windowsOutliveARestartAndOneThatIsOpenIsKeptAsItIs() throws Exception {
    pass(10);
    recorder.xid("00000000:3B:00.0", 79, T + 10_000);
    pass(2);
    recorder.close();
    assertThat(sent.poll(120, TimeUnit.SECONDS)).hasSize(13);
    String id = recorder.faults().getFirst().id();
    try (Recorder next = recorder(SETTINGS)) {
      assertThat(next.faults()).extracting(FaultWindow::id).containsExactly(id);
      assertThat(next.fault(id).orElseThrow().readings().rows()).isEqualTo(12);
      assertThat(next.fault("none")).isEmpty();
    }
    assertThat(sent).as("it was sent before").isEmpty();
  }

  @Test
  void withoutUploadAWindowIsKeptAndNotSent() throws Exception {
    RecentSettings here =
        new RecentSettings(
            true, Duration.ofSeconds(1), Duration.ofMinutes(2), Duration.ofSeconds(5), 4, 6, false);
    try (Recorder quiet = recorder(here)) {
      quiet.xid("00000000:FF:00.0", 95, T + 1_000);
      for (int i = 1; i < 10; i++) {
        quiet.read(T + i * 1_000L);
      }
      assertThat(quiet.faults().getFirst().first().gpu())
          .as("a GPU that the driver does not count")
          .isEqualTo(Labels.of("pci_bus_id", "00000000:FF:00.0"));
    }
    assertThat(sent).isEmpty();
  }

  @Test
  void moreXidsThanAreLookedAtInTimeAreCounted() throws Exception {
    for (int i = 0; i < 300; i++) {
      recorder.xid("00000000:3B:00.0", 79, T);
    }
    pass(1);
    assertThat(recorder.count(FaultWindows.Result.LIMITED)).isEqualTo(44);
    assertThat(recorder.count(FaultWindows.Result.JOINED)).isEqualTo(255);
  }

  private static double value(Tick tick, String metric) {
    for (int i = 0; i < tick.size(); i++) {
      if (tick.series().get(i).metric().equals(metric)) {
        return tick.values()[i];
      }
    }
    return Double.NaN;
  }

  private Map<String, Double> report() throws Exception {
    Map<String, Double> values = new TreeMap<>();
    try (Sampler sampler =
        new Sampler(
            List.of(new RecentReport(recorder, new TickClass(Duration.ofSeconds(15)))),
            new NodeLabels(Labels.EMPTY, Relabelling.NONE),
            () -> GpuOwners.NONE,
            "probe",
            Duration.ofSeconds(15),
            () -> T,
            TickSink.NONE)) {
      Tick tick = sampler.readAt(T);
      for (int i = 0; i < tick.size(); i++) {
        Labels of = tick.series().get(i);
        String labels =
            of.metric().equals("gpu_fault_window_timestamp_seconds")
                ? of.value("kind") + " " + of.value("xid") + " " + of.value("gpu")
                : of.value("result");
        values.put(of.metric() + " " + labels, tick.values()[i]);
      }
    }
    return values;
  }
}

package io.fleetgauge.probe.xid;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What was counted, as series. */
class XidSeriesTest {
  private static final TickClass CORE = new TickClass(Duration.ofSeconds(15));
  private static final String ADDRESS = "00000000:3B:00.0";
  private static final String GONE = "00000000:3C:00.0";
  private static final Labels GPU = Labels.of("gpu", "0", "UUID", "GPU-0", "pci_bus_id", ADDRESS);

  private long now = 1_700_000_000_500L;
  private final XidCounts ofGpus = new XidCounts(() -> now);
  private final XidCounts ofSwitches = new XidCounts(() -> now);
  private final Sources sources = new Sources();
  private List<Labels> gpus = List.of(GPU);
  private final KernelLines kernelLines = new KernelLines();
  private final XidSampling xids =
      new XidSampling(ofGpus, ofSwitches, sources, kernelLines, () -> gpus, CORE, () -> now);

  private static final class Sources implements XidSources {
    private boolean isLogOpen;
    private boolean isRegistered;
    private boolean isClosed;

    @Override
    public Status status() {
      return new Status(10, 3, 2, isLogOpen, isRegistered);
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  private Map<Labels, Double> read() {
    Readings readings = new Readings();
    xids.read(Set.of(CORE), readings);
    Tick tick = readings.of(CORE).at(0);
    Map<Labels, Double> values = new TreeMap<>();
    for (int i = 0; i < tick.size(); i++) {
      assertThat(values.put(tick.series().get(i), tick.values()[i])).as("twice").isNull();
    }
    return values;
  }

  private static Labels series(String metric, Labels of, String... more) {
    return of.with(Labels.of(more)).with(Labels.NAME, metric);
  }

  @Test
  void aCodeIsASeriesOfItsGpuWithItsNumberAndTime() {
    ofGpus.count(ADDRESS, 31);
    now += 5_000;
    ofGpus.count(ADDRESS, 31);
    ofGpus.remember(ADDRESS, 48, now - 60_000);
    assertThat(xids.classes()).containsExactly(CORE);
    assertThat(xids.name()).isEqualTo("xid");
    assertThat(read())
        .containsEntry(series("DCGM_FI_DEV_XID_ERRORS", GPU), 31.0)
        .containsEntry(series("gpu_xid_total", GPU, "xid", "31"), 2.0)
        .containsEntry(series("gpu_xid_last_timestamp_seconds", GPU, "xid", "31"), now / 1_000.0)
        .as("it happened before the probe began")
        .containsEntry(series("gpu_xid_total", GPU, "xid", "48"), 0.0)
        .containsEntry(
            series("gpu_xid_last_timestamp_seconds", GPU, "xid", "48"), now / 1_000.0 - 60)
        .as("a critical one, which never happened")
        .containsEntry(series("gpu_xid_total", GPU, "xid", "79"), 0.0)
        .doesNotContainKey(series("gpu_xid_total", GPU, "xid", "32"));
  }

  @Test
  void aGpuThatIsNotListedAnyMoreKeepsItsLabelsAndOneThatNeverWasHasItsAddress() {
    read();
    gpus = List.of();
    ofGpus.count(ADDRESS, 79);
    ofGpus.count(GONE, 79);
    Labels gone = Labels.of("pci_bus_id", GONE);
    assertThat(read())
        .containsEntry(series("DCGM_FI_DEV_XID_ERRORS", GPU), 79.0)
        .containsEntry(series("gpu_xid_total", gone, "xid", "79"), 1.0)
        .containsEntry(series("gpu_xid_total", gone, "xid", "48"), 0.0);
    Labels back = Labels.of("gpu", "1", "UUID", "GPU-1", "pci_bus_id", GONE);
    gpus = List.of(GPU, back);
    assertThat(read())
        .containsEntry(series("gpu_xid_total", back, "xid", "79"), 1.0)
        .doesNotContainKey(series("gpu_xid_total", gone, "xid", "79"));
  }

  @Test
  void errorsOfSwitchesAndTheStateOfTheSourcesAreSeries() {
    ofSwitches.count("00000000:C1:00.0", 20_034);
    for (int i = 0; i < 600; i++) {
      ofSwitches.count("0000%04X:00:00.0".formatted(i), 1);
      ofGpus.count("0000%04X:00:00.0".formatted(i), 79);
    }
    Labels of = Labels.of("pci_bus_id", "00000000:C1:00.0");
    assertThat(read())
        .containsEntry(series("gpu_sxid_total", of, "xid", "20034"), 1.0)
        .containsEntry(lines("read"), 7.0)
        .containsEntry(lines("unreadable"), 3.0)
        .containsEntry(lines("lost"), 2.0)
        .containsEntry(lines("overflow"), 89.0 + 88.0)
        .containsEntry(source("kernel_log"), 0.0)
        .containsEntry(source("events"), 0.0);
    sources.isLogOpen = true;
    assertThat(xids.isFollowing()).isFalse();
    assertThat(read())
        .containsEntry(source("kernel_log"), 1.0)
        .containsEntry(source("events"), 0.0);
    sources.isRegistered = true;
    assertThat(xids.isFollowing()).isTrue();
    assertThat(read()).containsEntry(source("events"), 1.0);
    sources.isLogOpen = false;
    assertThat(xids.isFollowing()).isFalse();
    xids.close();
    assertThat(sources.isClosed).isTrue();
  }

  @Test
  void aLineOfTheLogIsASeriesOfItsGpuOrDeviceForAnHour() {
    String off = "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.";
    String hung = "INFO: task nvidia-smi:17 blocked for more than 122 seconds.";
    kernelLines.see(KernelLines.Kind.XID, ADDRESS, 79, off, now, now);
    kernelLines.see(KernelLines.Kind.XID, ADDRESS, 79, off, now, now);
    kernelLines.see(KernelLines.Kind.XID, GONE, 79, off, now, now);
    kernelLines.see(KernelLines.Kind.HUNG_TASK, "", 0, hung, now, now);
    Labels ofGpu = line(GPU, "xid", off);
    assertThat(read())
        .containsEntry(ofGpu, 2.0)
        .containsEntry(line(Labels.of("pci_bus_id", GONE), "xid", off), 1.0)
        .containsEntry(line(Labels.EMPTY, "hung_task", hung), 1.0)
        .containsEntry(lines("left_out"), 0.0);
    now += KernelLines.KEPT_MILLIS;
    assertThat(read()).containsKey(ofGpu);
    now++;
    assertThat(read()).doesNotContainKey(ofGpu);
  }

  private static Labels line(Labels of, String kind, String line) {
    return series("gpu_kernel_line_info", of, "kind", kind, "line", line);
  }

  private static Labels lines(String result) {
    return series("gpu_probe_kernel_lines_total", Labels.EMPTY, "result", result);
  }

  private static Labels source(String source) {
    return series("gpu_probe_xid_source_up", Labels.EMPTY, "source", source);
  }
}

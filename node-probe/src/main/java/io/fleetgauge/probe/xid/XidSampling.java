package io.fleetgauge.probe.xid;

import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuMetrics;
import io.fleetgauge.sample.gpu.XidClass;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** XIDs as series; it never waits for the driver. */
public final class XidSampling implements Reader, AutoCloseable {
  private static final String ADDRESS = "pci_bus_id";
  private static final double MILLIS = 1000;

  private final TickClass core;
  private final Supplier<List<Labels>> gpus;
  private final XidCounts ofGpus;
  private final XidCounts ofSwitches;
  private final XidSources sources;
  private final KernelLines lines;
  private final LongSupplier clock;

  /** Labels by address, also of GPUs that the driver does not count any more. */
  private final Map<String, Labels> known = new TreeMap<>();

  private final Map<List<String>, Labels> series = new HashMap<>();

  /**
   * Begins to follow both sources.
   *
   * @param library soname or path of NVML
   * @param roots folders to which a driver may be installed besides
   * @param device the kernel's log
   * @param proc where the proc file system is mounted
   * @param gpus labels of the GPUs that are known
   * @param clock ms since the epoch
   * @param critical takes errors after which a GPU or its node has to be drained
   */
  public XidSampling(
      String library,
      List<Path> roots,
      Path device,
      Path proc,
      Supplier<List<Labels>> gpus,
      TickClass core,
      LongSupplier clock,
      XidListener critical) {
    this.core = core;
    this.gpus = gpus;
    this.ofGpus =
        new XidCounts(
            clock,
            (address, code, time) -> {
              if (XidClass.isCritical(code)) {
                critical.happened(address, code, time);
              }
            });
    this.ofSwitches = new XidCounts(clock);
    this.lines = new KernelLines();
    this.clock = clock;
    this.sources =
        FollowedSources.start(
            new KernelLog(device, proc, clock, ofGpus, ofSwitches, lines),
            new DriverEvents(library, roots, ofGpus));
  }

  /**
   * Shows what other sources than this machine's count.
   *
   * @param ofGpus by address
   * @param ofSwitches by address
   * @param lines of the kernel's log
   * @param gpus labels of the GPUs that are known
   * @param clock ms since the epoch
   */
  public XidSampling(
      XidCounts ofGpus,
      XidCounts ofSwitches,
      XidSources sources,
      KernelLines lines,
      Supplier<List<Labels>> gpus,
      TickClass core,
      LongSupplier clock) {
    this.lines = lines;
    this.clock = clock;
    this.core = core;
    this.gpus = gpus;
    this.ofGpus = ofGpus;
    this.ofSwitches = ofSwitches;
    this.sources = sources;
  }

  @Override
  public String name() {
    return "xid";
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(core);
  }

  /** Tells whether both sources are followed. */
  public boolean isFollowing() {
    return sources.status().isLogOpen() && sources.status().isRegistered();
  }

  @Override
  public void read(Set<TickClass> due, Readings out) {
    for (Labels gpu : gpus.get()) {
      known.put(gpu.value(ADDRESS), gpu);
    }
    Map<String, Map<Integer, XidCounts.Seen>> seen = new HashMap<>();
    for (XidCounts.Seen one : ofGpus.all()) {
      known.putIfAbsent(one.address(), Labels.of(ADDRESS, one.address()));
      seen.computeIfAbsent(one.address(), key -> new TreeMap<>()).put(one.code(), one);
    }
    known.forEach(
        (address, labels) -> {
          add(out, labels, "DCGM_FI_DEV_XID_ERRORS", "", ofGpus.last(address));
          Map<Integer, XidCounts.Seen> codes = seen.getOrDefault(address, Map.of());
          for (int code : XidClass.CRITICAL.codes()) {
            if (!codes.containsKey(code)) {
              add(out, labels, "gpu_xid_total", Integer.toString(code), 0);
            }
          }
          codes.forEach((code, one) -> add(out, labels, one));
        });
    for (XidCounts.Seen one : ofSwitches.all()) {
      String code = Integer.toString(one.code());
      add(out, Labels.of(ADDRESS, one.address()), "gpu_sxid_total", code, one.count());
    }
    readLines(out);
    XidSources.Status status = sources.status();
    String counter = "gpu_probe_kernel_lines_total";
    result(out, counter, "read", status.lines() - status.unreadable());
    result(out, counter, "unreadable", status.unreadable());
    result(out, counter, "lost", status.lost());
    result(out, counter, "left_out", lines.leftOut());
    result(out, counter, "overflow", ofGpus.overflows() + ofSwitches.overflows());
    result(out, "gpu_probe_xid_source_up", "kernel_log", status.isLogOpen() ? 1 : 0);
    result(out, "gpu_probe_xid_source_up", "events", status.isRegistered() ? 1 : 0);
  }

  private void readLines(Readings out) {
    for (KernelLines.Seen seen : lines.all(clock.getAsLong())) {
      KernelLines.Line line = seen.line();
      Labels of = line.address().isEmpty() ? Labels.EMPTY : Labels.of(ADDRESS, line.address());
      Labels series =
          known
              .getOrDefault(line.address(), of)
              .with("kind", line.kind().text())
              .with("line", line.text())
              .with(Labels.NAME, GpuMetrics.of("gpu_kernel_line_info").name());
      out.add(core, series, seen.count());
    }
  }

  private void add(Readings out, Labels gpu, XidCounts.Seen one) {
    String code = Integer.toString(one.code());
    add(out, gpu, "gpu_xid_total", code, one.count());
    add(out, gpu, "gpu_xid_last_timestamp_seconds", code, one.last() / MILLIS);
  }

  private void add(Readings out, Labels of, String metric, String code, double value) {
    Labels labels =
        series.computeIfAbsent(
            List.of(metric, of.value(ADDRESS), of.value("UUID"), code),
            key -> of.with("xid", code).with(Labels.NAME, GpuMetrics.of(metric).name()));
    out.add(core, labels, value);
  }

  private void result(Readings out, String metric, String which, double value) {
    String label = metric.equals("gpu_probe_kernel_lines_total") ? "result" : "source";
    Labels labels =
        series.computeIfAbsent(
            List.of(metric, which),
            key -> Labels.of(Labels.NAME, GpuMetrics.of(metric).name(), label, which));
    out.add(core, labels, value);
  }

  @Override
  public void close() {
    sources.close();
  }
}

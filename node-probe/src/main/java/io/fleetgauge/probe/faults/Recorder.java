package io.fleetgauge.probe.faults;

import io.fleetgauge.probe.config.RecentSettings;
import io.fleetgauge.probe.gpu.GpuThread;
import io.fleetgauge.probe.gpu.snapshot.QuickGpu;
import io.fleetgauge.probe.gpu.snapshot.QuickMetric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.GpuEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads at a high rate what is kept of the last minutes, and keeps the window of a fault. What may
 * be asked by any thread says so.
 */
public final class Recorder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Recorder.class);
  private static final QuickMetric[] METRICS = QuickMetric.values();
  private static final int MOST_WAITING = 256;
  private static final Duration STOP_LIMIT = Duration.ofSeconds(2);

  /** An XID that was told and not looked at yet. */
  private record Xid(String address, int code, long time) {}

  private final RecentSettings settings;
  private final Optional<GpuThread> gpus;
  private final NodeLabels node;
  private final LongSupplier clock;
  private final LongSupplier nanos;
  private final Consumer<List<Tick>> out;
  private final Optional<WindowFolder> folder;
  private final Ring ring;
  private final FaultWindows windows;
  private final HostReading host;
  private final FaultSigns signs = new FaultSigns();
  private final Queue<Xid> xids = new ArrayBlockingQueue<>(MOST_WAITING);
  private final Map<String, Map<QuickMetric, Labels>> series = new HashMap<>();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("recent").factory());

  /** Writes windows to the disk and sends them, so that neither holds up a reading. */
  private final ExecutorService keeping =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("fault-windows").factory());

  private volatile long rows;
  private volatile long late;
  private volatile long notSaved;

  /**
   * @param folder where windows of faults are kept across restarts
   * @param clock ms since the epoch
   * @param nanos a clock that only moves forward
   * @param out takes the ticks of a window, on a thread of its own
   */
  public Recorder(
      RecentSettings settings,
      Optional<GpuThread> gpus,
      NodeFiles files,
      NodeLabels node,
      Optional<Path> folder,
      LongSupplier clock,
      LongSupplier nanos,
      Consumer<List<Tick>> out) {
    this.settings = settings;
    this.gpus = gpus;
    this.node = node;
    this.clock = clock;
    this.nanos = nanos;
    this.out = out;
    long step = settings.step().toMillis();
    long length = settings.length().toMillis();
    this.ring = new Ring((int) Math.ceilDiv(length + settings.after().toMillis(), step) + 1, step);
    this.windows =
        new FaultWindows(
            ring, length, settings.after().toMillis(), settings.perHour(), settings.kept());
    this.host = new HostReading(files);
    this.folder = folder.map(path -> new WindowFolder(path, settings.kept()));
    this.folder.ifPresent(kept -> windows.restore(kept.load()));
  }

  /** Reads from now on at every step. */
  public void start() {
    next();
  }

  private void next() {
    long step = settings.step().toMillis();
    long now = clock.getAsLong();
    long time = (now / step + 1) * step;
    thread.schedule(
        () -> {
          try {
            read(time);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } catch (RuntimeException e) {
            LOG.error("the high-rate reading at {} failed", time, e);
          } finally {
            next();
          }
        },
        time - now,
        TimeUnit.MILLISECONDS);
  }

  /**
   * Reads once. A driver that does not answer within three quarters of a step leaves a gap.
   *
   * @param time of the row, a multiple of the step, ms since the epoch
   */
  void read(long time) throws InterruptedException {
    Tick.Builder row = new Tick.Builder();
    host.read(nanos.getAsLong(), row::add);
    if (gpus.isPresent()) {
      Optional<List<QuickGpu>> read =
          gpus.get().readQuick(settings.step().multipliedBy(3).dividedBy(4));
      read.ifPresent(all -> add(all, row));
      signs.of(read.orElse(List.of()), time).forEach(this::on);
      signs.of(gpus.get().hung(), time).ifPresent(this::on);
      late = late + (read.isEmpty() ? 1 : 0);
    }
    ring.add(row.at(time));
    rows = rows + 1;
    for (Xid xid = xids.poll(); xid != null; xid = xids.poll()) {
      on(new GpuFault(GpuEvent.XID, xid.code(), gpu(xid.address()), xid.time()));
    }
    windows.at(time).ifPresent(this::keep);
  }

  private void add(List<QuickGpu> all, Tick.Builder row) {
    if (series.size() > 2 * Ring.MOST_SERIES) {
      series.clear();
    }
    for (QuickGpu gpu : all) {
      Map<QuickMetric, Labels> own =
          series.computeIfAbsent(
              gpu.labels().value("UUID") + " " + gpu.labels().value("gpu"),
              key -> series(gpu.labels()));
      own.forEach((metric, labels) -> row.add(labels, gpu.value(metric)));
    }
  }

  private static Map<QuickMetric, Labels> series(Labels gpu) {
    Map<QuickMetric, Labels> series = new EnumMap<>(QuickMetric.class);
    for (QuickMetric metric : METRICS) {
      if (!metric.series().isEmpty()) {
        series.put(metric, gpu.with(Labels.NAME, metric.series()));
      }
    }
    return series;
  }

  /** The labels of a GPU, of one that the driver does not count as far as they are known. */
  private Labels gpu(String address) {
    for (Labels gpu : gpus.map(GpuThread::gpus).orElse(List.of())) {
      if (gpu.value("pci_bus_id").equals(address)) {
        return gpu;
      }
    }
    return Labels.of("pci_bus_id", address);
  }

  /** A critical XID has happened. Never waits; for any thread. */
  public void xid(String address, int code, long time) {
    if (!xids.offer(new Xid(address, code, time))) {
      windows.overflow();
    }
  }

  private void on(GpuFault fault) {
    FaultWindows.Result result = windows.on(fault);
    if (result == FaultWindows.Result.KEPT) {
      LOG.warn(
          "fault {} {} of GPU {}: the window around it is kept",
          fault.kind().text(),
          fault.xid() > 0 ? fault.xid() : "",
          fault.uuid().isEmpty() ? fault.gpu() : fault.uuid());
    }
  }

  private void keep(FaultWindow window) {
    keeping.execute(
        () -> {
          folder.ifPresent(files -> save(files, window));
          if (settings.upload()) {
            List<Tick> ticks = WindowTicks.of(window, node);
            if (!ticks.isEmpty()) {
              out.accept(ticks);
            }
          }
        });
  }

  private void save(WindowFolder files, FaultWindow window) {
    try {
      files.save(window);
    } catch (IOException e) {
      notSaved = notSaved + 1;
      LOG.error("the window {} is kept in memory only: {}", window.id(), e.toString());
    }
  }

  /** The readings of the last minutes. For any thread. */
  public Window window() {
    return ring.window(clock.getAsLong() - settings.length().toMillis(), Long.MAX_VALUE);
  }

  /** Windows of faults that are kept, oldest first. For any thread. */
  public List<FaultWindow> faults() {
    return windows.kept();
  }

  /** For any thread. */
  public Optional<FaultWindow> fault(String id) {
    return windows.find(id);
  }

  /** Rows that were read. */
  long rows() {
    return rows;
  }

  /** Rows without values of GPUs, because the driver did not answer in time. */
  long late() {
    return late;
  }

  /** Values that were left out because there are too many series. */
  long leftOut() {
    return ring.leftOut();
  }

  /** Windows that could not be written to the disk. */
  long notSaved() {
    return notSaved;
  }

  /** Bytes of the values in memory. */
  long bytes() {
    return ring.bytes();
  }

  /** Faults so far, by what became of their window. */
  long count(FaultWindows.Result result) {
    return windows.count(result);
  }

  /** Keeps the window that is open as far as it has come. */
  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("a high-rate reading is still under way");
      }
      windows.at(Long.MAX_VALUE).ifPresent(this::keep);
      keeping.shutdown();
      if (!keeping.awaitTermination(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("the window of a fault is still being written");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.fleetgauge.probe.gpu;

import io.fleetgauge.probe.gpu.reading.NodeGpu;
import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.gpu.snapshot.GpuProcesses;
import io.fleetgauge.probe.gpu.snapshot.GpuSnapshot;
import io.fleetgauge.probe.gpu.snapshot.QuickGpu;
import io.fleetgauge.probe.nvml.CallLog;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that reads GPUs. While a call blocks, readings time out, and no second thread is
 * started: it would block as well.
 */
public final class GpuThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GpuThread.class);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(1);

  private final GpuReader reader;
  private final Watchdog watchdog;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("nvml").factory());
  private final AtomicLong missed = new AtomicLong();
  private final Turn<GpuSnapshot> readings;
  private final Turn<List<QuickGpu>> quick;
  private volatile Optional<List<GpuProcesses>> processes = Optional.empty();

  public GpuThread(GpuSource source) {
    this(source, System::nanoTime);
  }

  /**
   * @param nanos a clock that only moves forward
   */
  public GpuThread(GpuSource source, LongSupplier nanos) {
    this(new GpuReader(source, nanos), Patience.REAL);
  }

  /**
   * Reads a driver that is not a library of this machine.
   *
   * @param nanos a clock that only moves forward
   */
  public GpuThread(GpuSource source, Driver driver, LongSupplier nanos, Patience patience) {
    this(new GpuReader(source, driver, nanos), patience);
  }

  private GpuThread(GpuReader reader, Patience patience) {
    this.reader = reader;
    this.readings = new Turn<>(thread, patience);
    this.quick = new Turn<>(thread, patience);
    this.watchdog = new Watchdog(reader.log());
    thread.execute(this::tellThread);
  }

  private void tellThread() {
    try {
      watchdog.watch(
          Path.of("/proc").resolve(Files.readSymbolicLink(Path.of("/proc/thread-self"))));
    } catch (IOException | UnsupportedOperationException e) {
      LOG.info("the state of the GPU thread cannot be seen: {}", e.toString());
    }
  }

  /**
   * One reading of all GPUs, or empty when the driver does not answer in time. Not for several
   * threads.
   *
   * @param due tiers of which metrics are read
   */
  public Optional<GpuSnapshot> read(Set<Tier> due, Duration limit) throws InterruptedException {
    Optional<GpuSnapshot> read = Optional.empty();
    boolean waits = readings.isRunning();
    try {
      if (!waits) {
        read =
            readings.take(
                () -> {
                  GpuSnapshot all = new GpuSnapshot(due);
                  reader.read(all);
                  return all;
                },
                limit);
        if (read.isEmpty()) {
          LOG.warn("the GPU driver has not responded for {}; continuing without GPUs", limit);
        }
      }
    } catch (ExecutionException e) {
      LOG.error("reading GPUs failed", e.getCause());
    }
    if (read.isEmpty()) {
      processes = Optional.empty();
      missed.incrementAndGet();
    } else if (due.contains(Tier.CORE)) {
      processes = read.map(GpuSnapshot::processes);
    }
    return read;
  }

  /**
   * Reads every GPU quickly, or empty when the driver does not answer in time. Not for several
   * threads; another one may {@link #read} at the same time.
   */
  public Optional<List<QuickGpu>> readQuick(Duration limit) throws InterruptedException {
    if (quick.isRunning()) {
      return Optional.empty();
    }
    try {
      return quick.take(reader::readQuick, limit);
    } catch (ExecutionException e) {
      LOG.error("the quick reading of GPUs failed", e.getCause());
      return Optional.empty();
    }
  }

  /**
   * A driver call that hangs.
   *
   * @param gpu its index at the driver; -1 for a call of the library
   * @param nanos how long it has been in progress
   */
  public record Hung(String call, int gpu, long nanos) {}

  /** The driver call in progress, if the watchdog calls it hung. For any thread. */
  public Optional<Hung> hung() {
    CallLog.InProgress stuck = watchdog.stuck();
    return Watchdog.state(stuck) == Watchdog.State.HUNG
        ? Optional.of(new Hung(stuck.call().label(), stuck.gpu(), stuck.nanos()))
        : Optional.empty();
  }

  /** What may be looked at by any thread says so. */
  GpuReader reader() {
    return reader;
  }

  Watchdog watchdog() {
    return watchdog;
  }

  /** Labels of the GPUs that were found, lost ones among them. */
  public List<Labels> gpus() {
    return reader.gpus().stream().map(NodeGpu::labels).toList();
  }

  /** The GPUs that were found, as schedulers name them. For any thread. */
  public List<GpuIdentity> identities() {
    return reader.gpus().stream().map(NodeGpu::identity).toList();
  }

  /**
   * The processes of each GPU or GPU instance that the last reading found; empty while the driver
   * does not answer. For any thread.
   */
  public Optional<List<GpuProcesses>> processes() {
    return processes;
  }

  /** Readings that timed out. */
  public long missed() {
    return missed.get();
  }

  /** Failures of driver calls, by the call and the code that NVML returned. */
  public Map<List<String>, Long> errors() {
    return reader.log().errors();
  }

  /** Why there are no GPUs to read; empty when there are. */
  public String state() {
    return reader.state();
  }

  /** Declares what it counts. */
  public void declare(Meters meters) {
    meters.counter(
        "gpu_readings_missed",
        "GPU readings that timed out because the driver did not respond.",
        this::missed);
    meters.gauge(
        "gpu_driver_up",
        "Whether the driver responds and sees a GPU.",
        () -> state().isEmpty() ? 1 : 0);
    meters.counters(
        "gpu_call_errors",
        "Failed driver calls, by call and NVML return code.",
        List.of("call", "code"),
        this::errors);
  }

  /** Gives the driver back, unless a call is stuck in it: then it is left as it is. */
  @Override
  public void close() {
    CompletableFuture<Void> closed = CompletableFuture.runAsync(reader::close, thread);
    thread.shutdown();
    try {
      closed.get(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn("a GPU driver call is stuck; leaving without shutting the driver down");
    } catch (ExecutionException e) {
      LOG.warn("shutting the GPU driver down failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

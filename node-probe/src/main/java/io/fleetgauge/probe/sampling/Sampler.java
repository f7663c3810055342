package io.fleetgauge.probe.sampling;

import io.fleetgauge.probe.host.HostReader;
import io.fleetgauge.probe.nvml.GpuThread;
import io.fleetgauge.sample.Tick;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the node at every tick, on a thread of its own. Ticks are at multiples of their length
 * since the epoch, so that the times of all series are regular and those of all nodes agree.
 */
public final class Sampler implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Sampler.class);

  private final HostReader host;
  private final Optional<GpuThread> gpus;
  private final NodeLabels node;
  private final Consumer<Tick> out;
  private final LongSupplier clock;
  private final long tickMillis;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("sampling").factory());
  private volatile Tick last = new Tick.Builder().at(0);

  /**
   * @param gpus empty when GPUs are not to be read
   * @param clock ms since the epoch
   * @param out takes every tick, on the sampling thread
   */
  public Sampler(
      HostReader host,
      Optional<GpuThread> gpus,
      NodeLabels node,
      Duration tick,
      LongSupplier clock,
      Consumer<Tick> out) {
    this.host = host;
    this.gpus = gpus;
    this.node = node;
    this.out = out;
    this.clock = clock;
    this.tickMillis = tick.toMillis();
  }

  /** Reads once, now, and then at every tick. */
  public void start() {
    thread.execute(() -> read(clock.getAsLong()));
    next();
  }

  /** The newest tick; empty before the first. */
  public Tick last() {
    return last;
  }

  private void next() {
    long now = clock.getAsLong();
    long tick = (now / tickMillis + 1) * tickMillis;
    thread.schedule(
        () -> {
          try {
            read(tick);
          } finally {
            next();
          }
        },
        tick - now,
        TimeUnit.MILLISECONDS);
  }

  private void read(long time) {
    try {
      out.accept(readAt(time));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.error("the reading at {} failed", time, e);
    }
  }

  Tick readAt(long time) throws InterruptedException {
    Tick.Builder readings = new Tick.Builder();
    host.read(readings);
    if (gpus.isPresent()) {
      // Half a tick for the driver leaves the other half for everything else.
      Optional<Tick.Builder> read = gpus.get().read(Duration.ofMillis(tickMillis / 2));
      if (read.isPresent()) {
        Tick gpuReadings = read.get().at(time);
        for (int i = 0; i < gpuReadings.size(); i++) {
          readings.add(gpuReadings.series().get(i), gpuReadings.values()[i]);
        }
      }
    }
    Tick tick = node.tick(time, readings.at(time));
    last = tick;
    return tick;
  }

  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(2, TimeUnit.SECONDS)) {
        LOG.warn("a reading is still under way");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.fleetgauge.probe.nvml;

import io.fleetgauge.sample.Tick;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that calls the driver. While a call blocks, readings time out, and no second
 * thread is started: it would block as well.
 */
public final class GpuThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GpuThread.class);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(1);

  private final GpuReader reader;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("nvml").factory());
  private final AtomicLong missed = new AtomicLong();
  private CompletableFuture<Tick.Builder> running = CompletableFuture.completedFuture(null);

  /**
   * @param library soname or path of NVML
   */
  public GpuThread(String library) {
    this.reader = new GpuReader(library);
  }

  /**
   * One reading of all GPUs, or empty when the driver does not answer in time. Not for several
   * threads.
   */
  public Optional<Tick.Builder> read(Duration limit) throws InterruptedException {
    if (!running.isDone()) {
      missed.incrementAndGet();
      return Optional.empty();
    }
    running =
        CompletableFuture.supplyAsync(
            () -> {
              Tick.Builder tick = new Tick.Builder();
              reader.read(tick);
              return tick;
            },
            thread);
    try {
      return Optional.of(running.get(limit.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      missed.incrementAndGet();
      LOG.warn("the GPU driver has not answered for {}; going on without GPUs", limit);
      return Optional.empty();
    } catch (ExecutionException e) {
      missed.incrementAndGet();
      LOG.error("reading GPUs failed", e.getCause());
      return Optional.empty();
    }
  }

  /** Readings that timed out. */
  public long missed() {
    return missed.get();
  }

  /** How often a driver call failed, by the call and the code that NVML returned. */
  public Map<List<String>, Long> errors() {
    return reader.errors();
  }

  /** Why there are no GPUs to read; empty when there are. */
  public String state() {
    return reader.state();
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

package io.fleetgauge.runtime.process;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The started parts of a process, which are stopped in reverse order. A part that does not stop
 * within its limit is abandoned with a warning, and the next one is stopped.
 */
public final class Lifecycle implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Lifecycle.class);

  private final String process;
  private final Deque<Part> parts = new ArrayDeque<>();

  private record Part(String name, Duration limit, AutoCloseable stop) {}

  /**
   * @param process its name, for the log
   */
  public Lifecycle(String process) {
    this.process = process;
  }

  /** Starts the parts of a process, and calls {@link #started} for each. */
  @FunctionalInterface
  public interface Start {
    void run() throws StartFailure;
  }

  /**
   * Runs a start; when it fails, the parts that it has started are stopped.
   *
   * @throws StartFailure as {@code start} does
   */
  public void startOrClose(Start start) throws StartFailure {
    try {
      start.run();
    } catch (StartFailure | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Adds a part that has just been started. */
  public synchronized void started(String name, Duration stopLimit, AutoCloseable stop) {
    parts.push(new Part(name, stopLimit, stop));
  }

  @Override
  public synchronized void close() {
    while (!parts.isEmpty()) {
      Part part = parts.pop();
      long begin = System.nanoTime();
      CompletableFuture<Void> stopped = new CompletableFuture<>();
      Thread.ofPlatform()
          .daemon()
          .name("stop-" + part.name())
          .start(
              () -> {
                try {
                  part.stop().close();
                  stopped.complete(null);
                } catch (Exception e) {
                  stopped.completeExceptionally(e);
                }
              });
      try {
        stopped.get(part.limit().toMillis(), TimeUnit.MILLISECONDS);
        long millis = (System.nanoTime() - begin) / 1_000_000;
        LOG.debug("{}: {} stopped in {} ms", process, part.name(), millis);
      } catch (TimeoutException e) {
        LOG.warn("{}: {} did not stop within {}", process, part.name(), part.limit());
      } catch (ExecutionException e) {
        LOG.warn("{}: {} stopped with an error", process, part.name(), e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        LOG.warn("{}: interrupted while {} was stopping", process, part.name());
      }
    }
  }
}

package io.fleetgauge.probe.gpu;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Work of one kind on the GPU thread, of which at most one is queued: while one has not ended, no
 * other is begun, and what ends late is thrown away. Not for several threads.
 */
final class Turn<T> {
  private final Executor thread;
  private final Patience patience;
  private CompletableFuture<T> running = CompletableFuture.completedFuture(null);

  Turn(Executor thread, Patience patience) {
    this.thread = thread;
    this.patience = patience;
  }

  /** Tells whether the last one has not ended. */
  boolean isRunning() {
    return !running.isDone();
  }

  /**
   * @return what the work gives; empty when it does not end in time
   * @throws ExecutionException if it failed
   */
  Optional<T> take(Supplier<T> work, Duration limit)
      throws InterruptedException, ExecutionException {
    running = CompletableFuture.supplyAsync(work, thread);
    try {
      patience.await(running, limit);
      return Optional.of(running.get());
    } catch (TimeoutException e) {
      return Optional.empty();
    }
  }
}

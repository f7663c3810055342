package io.fleetgauge.operator.backup;

import io.fleetgauge.runtime.terminal.CommandFailure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Moves several things at once. */
final class Transfers implements AutoCloseable {
  private final ExecutorService threads;

  Transfers(int count) {
    threads = Executors.newFixedThreadPool(count, Thread.ofPlatform().daemon().factory());
  }

  /** One thing to move. */
  @FunctionalInterface
  interface Transfer<T> {
    void move(T what) throws CommandFailure, IOException;
  }

  /**
   * Moves all; ends with the first failure.
   *
   * @throws CommandFailure why one could not be moved
   */
  <T> void all(Iterable<T> things, Transfer<T> transfer) throws CommandFailure {
    List<Future<?>> running = new ArrayList<>();
    for (T each : things) {
      running.add(
          threads.submit(
              () -> {
                transfer.move(each);
                return null;
              }));
    }
    for (Future<?> each : running) {
      try {
        each.get();
      } catch (ExecutionException e) {
        running.forEach(other -> other.cancel(false));
        switch (e.getCause()) {
          case CommandFailure failure -> throw failure;
          case IOException failure -> throw new CommandFailure(failure.toString(), failure);
          default -> throw new CommandFailure(e.getCause().toString(), e.getCause());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CommandFailure("interrupted", e);
      }
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}

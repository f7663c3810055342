package io.fleetgauge.load.nodes.driver;

import io.fleetgauge.probe.gpu.Patience;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;

/**
 * The time of one node, which its owner turns. A driver call that takes longer than a tick has
 * patience for waits on its thread until the time is turned on; whoever waits for the reading then
 * goes on, as after a time-out.
 */
public final class PlayedClock implements Patience, AutoCloseable {
  private final long patienceNanos;
  private long nanos;
  private long until;
  private boolean blocked;
  private boolean closed;
  private Future<?> reading = CompletableFuture.completedFuture(null);

  /**
   * @param patience how long calls may take within a tick
   */
  public PlayedClock(Duration patience) {
    this.patienceNanos = patience.toNanos();
  }

  /** The time; it only moves forward. */
  public synchronized long nanos() {
    return nanos;
  }

  /** Turns the time to a tick, and returns when calls that were blocked are done or wait again. */
  public synchronized void turnTo(long toNanos) throws InterruptedException {
    nanos = Math.max(nanos, toNanos);
    until = nanos + patienceNanos;
    blocked = false;
    notifyAll();
    settle();
  }

  /** A call takes so long. */
  synchronized void spend(long duration) {
    waitUntil(nanos + duration);
  }

  /** A call returns at this time. */
  synchronized void waitUntil(long end) {
    while (end > until && !closed) {
      blocked = true;
      notifyAll();
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
    nanos = Math.max(nanos, end);
  }

  @Override
  public synchronized void await(Future<?> newReading, Duration limit)
      throws InterruptedException, TimeoutException {
    reading = newReading;
    ((CompletableFuture<?>) newReading).whenComplete((read, failure) -> wake());
    settle();
    if (!reading.isDone()) {
      throw new TimeoutException();
    }
  }

  private void settle() throws InterruptedException {
    while (!reading.isDone() && !blocked && !closed) {
      wait();
    }
  }

  private synchronized void wake() {
    notifyAll();
  }

  /** Lets blocked calls return. */
  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
  }
}

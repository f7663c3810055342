package io.fleetgauge.query.fanout;

import java.util.ArrayList;
import java.util.List;

/** Tells all that work on a query that nobody waits for it any more. Safe for all threads. */
public final class Cancellation {
  private final List<Runnable> told = new ArrayList<>();
  private boolean cancelled;

  /** Tells everyone, once. */
  public void cancel() {
    List<Runnable> all;
    synchronized (this) {
      if (cancelled) {
        return;
      }
      cancelled = true;
      all = List.copyOf(told);
      told.clear();
    }
    all.forEach(Runnable::run);
  }

  public synchronized boolean isCancelled() {
    return cancelled;
  }

  /** Runs something when it is cancelled; at once if it is already. */
  public void onCancel(Runnable task) {
    synchronized (this) {
      if (!cancelled) {
        told.add(task);
        return;
      }
    }
    task.run();
  }
}

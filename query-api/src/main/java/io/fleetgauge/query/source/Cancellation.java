package io.fleetgauge.query.source;

import java.util.ArrayList;
import java.util.List;

/** Tells everything that works on a query that its result is no longer wanted. Thread-safe. */
public final class Cancellation {
  private final List<Runnable> listeners = new ArrayList<>();
  private boolean cancelled;

  /** Runs all listeners, once. */
  public void cancel() {
    List<Runnable> all;
    synchronized (this) {
      if (cancelled) {
        return;
      }
      cancelled = true;
      all = List.copyOf(listeners);
      listeners.clear();
    }
    all.forEach(Runnable::run);
  }

  public synchronized boolean isCancelled() {
    return cancelled;
  }

  /** Adds a listener; it runs at once if the query is cancelled already. */
  public void onCancel(Runnable listener) {
    synchronized (this) {
      if (!cancelled) {
        listeners.add(listener);
        return;
      }
    }
    listener.run();
  }
}

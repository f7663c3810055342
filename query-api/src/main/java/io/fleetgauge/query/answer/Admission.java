package io.fleetgauge.query.answer;

import io.fleetgauge.promql.exec.QueryFailure;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;

/** A bounded number of places, and a bounded queue for them. Safe for all threads. */
public final class Admission {
  private final int maxRunning;
  private final int maxWaiting;
  private final Deque<Promise<Slot>> waiting = new ArrayDeque<>();
  private final LongAdder refused = new LongAdder();
  private int running;

  /** A place; to be given back once. */
  public final class Slot {
    private boolean released;

    private Slot() {}

    public void release() {
      Promise<Slot> next;
      synchronized (Admission.this) {
        if (released) {
          return;
        }
        released = true;
        next = waiting.pollFirst();
        if (next == null) {
          running--;
        }
      }
      if (next != null && !next.tryComplete(new Slot())) {
        new Slot().release(); // who waited has given up meanwhile
      }
    }
  }

  public Admission(int maxRunning, int maxWaiting) {
    this.maxRunning = maxRunning;
    this.maxWaiting = maxWaiting;
  }

  /** A place, now or in turn; fails at once when too many wait already. */
  public Future<Slot> enter() {
    synchronized (this) {
      if (running < maxRunning) {
        running++;
        return Future.succeededFuture(new Slot());
      }
      if (waiting.size() < maxWaiting) {
        Promise<Slot> place = Promise.promise();
        waiting.addLast(place);
        return place.future();
      }
    }
    refused.increment();
    return Future.failedFuture(
        new QueryFailure(
            QueryFailure.Kind.UNAVAILABLE,
            "too many queries: "
                + maxRunning
                + " are running and "
                + maxWaiting
                + " are waiting, which is all that query.maxConcurrent and query.maxWaiting"
                + " allow; try again later"));
  }

  public synchronized int running() {
    return running;
  }

  public synchronized int waiting() {
    return waiting.size();
  }

  public long refused() {
    return refused.sum();
  }
}

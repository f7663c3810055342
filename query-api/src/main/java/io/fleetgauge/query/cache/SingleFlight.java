package io.fleetgauge.query.cache;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.source.Cancellation;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * Executes equal queries once: a caller whose query is being executed waits for that answer, if
 * nothing has changed since that execution began. Otherwise it waits for a later one. At most two
 * executions of a key are under way at a time; whoever comes then waits for one that begins when
 * the first of them ends. The work is cancelled only when all callers that wait for it have left.
 * Thread-safe.
 */
public final class SingleFlight<K, V> {
  private static final int MAX_BEGUN = 2;

  private final Map<K, Flights<V>> underWay = new HashMap<>();
  private final LongAdder joined = new LongAdder();

  private static final class Flight<V> {
    final Promise<V> result = Promise.promise();
    final Cancellation cancellation = new Cancellation();
    final Function<Cancellation, Future<V>> work;
    long stamp;
    int waiting;

    Flight(Function<Cancellation, Future<V>> work) {
      this.work = work;
    }
  }

  /** The executions of one key. */
  private static final class Flights<V> {
    /** Begun and not ended, the newest last. */
    final List<Flight<V>> begun = new ArrayList<>(MAX_BEGUN);

    /** Begins when another ends; null when nobody waits for it. */
    Flight<V> next;

    /** The one that has everything up to a stamp, or one that has not begun; null if none. */
    Flight<V> joinable(long stamp) {
      boolean isNewest = !begun.isEmpty() && begun.getLast().stamp == stamp;
      return isNewest ? begun.getLast() : next;
    }
  }

  public synchronized boolean isUnderWay(K key) {
    return underWay.containsKey(key);
  }

  /**
   * Waits for the work that is under way for a key and began at the same stamp, or for work that
   * begins later.
   *
   * @param stamp of {@link Versions}, the newest one; of a caller that finds work under way, after
   *     all shards have been asked
   * @param mine takes this caller out; the others go on waiting
   * @param work is handed the cancellation of all its callers together
   */
  public Future<V> join(
      K key, long stamp, Cancellation mine, Function<Cancellation, Future<V>> work) {
    if (mine.isCancelled()) {
      return Future.failedFuture(canceled()); // nobody waits for it
    }
    Flight<V> flight;
    boolean begins = false;
    synchronized (this) {
      Flights<V> ofKey = underWay.computeIfAbsent(key, none -> new Flights<>());
      flight = ofKey.joinable(stamp);
      if (flight == null) {
        flight = new Flight<>(work);
        begins = ofKey.begun.size() < MAX_BEGUN;
        if (begins) {
          ofKey.begun.add(flight);
        } else {
          ofKey.next = flight;
        }
      } else {
        joined.increment();
      }
      flight.waiting++;
      flight.stamp = stamp;
    }
    Promise<V> answer = Promise.promise();
    Flight<V> mineToo = flight;
    flight.result.future().onComplete(done -> complete(answer, done));
    mine.onCancel(() -> leave(key, mineToo, answer));
    if (begins) {
      begin(key, flight);
    }
    return answer.future();
  }

  private void begin(K key, Flight<V> flight) {
    flight
        .work
        .apply(flight.cancellation)
        .onComplete(
            done -> {
              Flight<V> next = ended(key, flight);
              complete(flight.result, done);
              if (next != null) {
                begin(key, next);
              }
            });
  }

  /** The execution that begins now that another one has ended or was left; null if none. */
  private synchronized Flight<V> ended(K key, Flight<V> flight) {
    Flights<V> ofKey = underWay.get(key);
    if (ofKey == null || !ofKey.begun.remove(flight)) {
      return null;
    }
    Flight<V> next = ofKey.next;
    ofKey.next = null;
    if (next != null) {
      ofKey.begun.add(next);
    } else if (ofKey.begun.isEmpty()) {
      underWay.remove(key);
    }
    return next;
  }

  private static <V> void complete(Promise<V> promise, AsyncResult<V> done) {
    if (done.succeeded()) {
      promise.tryComplete(done.result());
    } else {
      promise.tryFail(done.cause());
    }
  }

  private static QueryFailure canceled() {
    return new QueryFailure(
        QueryFailure.Kind.CANCELED, "query was canceled in expression evaluation");
  }

  private void leave(K key, Flight<V> flight, Promise<V> answer) {
    boolean left = answer.tryFail(canceled());
    if (!left) {
      return;
    }
    Flight<V> next = null;
    boolean last;
    synchronized (this) {
      last = --flight.waiting == 0;
      if (last) {
        Flights<V> ofKey = underWay.get(key);
        if (ofKey != null && ofKey.next == flight) {
          ofKey.next = null;
        } else {
          next = ended(key, flight);
        }
      }
    }
    if (last) {
      flight.cancellation.cancel();
    }
    if (next != null) {
      begin(key, next);
    }
  }

  /** Number of callers that waited for work that another one had begun. */
  public long joined() {
    return joined.sum();
  }
}

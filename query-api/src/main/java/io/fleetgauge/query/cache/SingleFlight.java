package io.fleetgauge.query.cache;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.shards.Cancellation;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * Executes equal queries once: a caller whose query is being executed waits for that answer, if
 * nothing has changed since that execution began. The work is cancelled only when all callers that
 * wait for it have left. Thread-safe.
 */
public final class SingleFlight<K, V> {
  private final Map<K, Flight<V>> underWay = new HashMap<>();
  private final LongAdder joined = new LongAdder();

  private static final class Flight<V> {
    final Promise<V> result = Promise.promise();
    final Cancellation cancellation = new Cancellation();
    final long stamp;
    int waiting;

    Flight(long stamp) {
      this.stamp = stamp;
    }
  }

  /** Whether work for a key is under way. */
  public synchronized boolean isUnderWay(K key) {
    return underWay.containsKey(key);
  }

  /**
   * Waits for the work that is under way for a key and began at the same stamp, or begins it.
   *
   * @param stamp of {@link Versions}, the newest one; of a caller that finds work under way, after
   *     all shards have been asked
   * @param mine takes this caller out; the others go on waiting
   * @param work is handed the cancellation of all its callers together
   */
  public Future<V> join(
      K key, long stamp, Cancellation mine, Function<Cancellation, Future<V>> work) {
    Flight<V> flight;
    boolean first;
    synchronized (this) {
      Flight<V> known = underWay.get(key);
      first = known == null || known.stamp != stamp;
      flight = first ? new Flight<>(stamp) : known;
      flight.waiting++;
      if (first) {
        underWay.put(key, flight);
      } else {
        joined.increment();
      }
    }
    Promise<V> answer = Promise.promise();
    flight.result.future().onComplete(done -> complete(answer, done));
    mine.onCancel(() -> leave(key, flight, answer));
    if (first) {
      work.apply(flight.cancellation)
          .onComplete(
              done -> {
                synchronized (this) {
                  underWay.remove(key, flight);
                }
                complete(flight.result, done);
              });
    }
    return answer.future();
  }

  private static <V> void complete(Promise<V> promise, AsyncResult<V> done) {
    if (done.succeeded()) {
      promise.tryComplete(done.result());
    } else {
      promise.tryFail(done.cause());
    }
  }

  private void leave(K key, Flight<V> flight, Promise<V> answer) {
    boolean left =
        answer.tryFail(
            new QueryFailure(
                QueryFailure.Kind.CANCELED, "query was canceled in expression evaluation"));
    if (!left) {
      return;
    }
    boolean last;
    synchronized (this) {
      last = --flight.waiting == 0;
      if (last) {
        underWay.remove(key, flight);
      }
    }
    if (last) {
      flight.cancellation.cancel();
    }
  }

  /** How many callers waited for work that another one had begun. */
  public long joined() {
    return joined.sum();
  }
}

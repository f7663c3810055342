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
 * Executes equal queries once: a caller whose query is being executed waits for that answer. The
 * work is cancelled only when all callers that wait for it have left. Thread-safe.
 */
public final class SingleFlight<K, V> {
  private final Map<K, Flight<V>> underWay = new HashMap<>();
  private final LongAdder joined = new LongAdder();

  private static final class Flight<V> {
    final Promise<V> result = Promise.promise();
    final Cancellation cancellation = new Cancellation();
    int waiting;
  }

  /**
   * Waits for the work that is under way for a key, or begins it.
   *
   * @param mine takes this caller out; the others go on waiting
   * @param work is handed the cancellation of all its callers together
   */
  public Future<V> join(K key, Cancellation mine, Function<Cancellation, Future<V>> work) {
    Flight<V> flight;
    boolean first;
    synchronized (this) {
      Flight<V> known = underWay.get(key);
      first = known == null;
      flight = first ? new Flight<>() : known;
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

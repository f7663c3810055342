package io.fleetgauge.query.answer;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.fanout.Cancellation;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * Questions under way. Who asks what is being answered waits for that answer; the work ends early
 * only when all who wait have left. Safe for all threads.
 */
final class Flights {
  private final Map<Ask.Key, Flight> underWay = new HashMap<>();
  private final LongAdder joined = new LongAdder();

  private static final class Flight {
    final Promise<Answered> landed = Promise.promise();
    final Cancellation cancellation = new Cancellation();
    int waiting;
  }

  /**
   * Joins the flight of a question, or begins it.
   *
   * @param mine tells that this asker has left
   * @param work begun unless it is under way; looks at the cancellation that it is given
   */
  Future<Answered> join(
      Ask.Key key, Cancellation mine, Function<Cancellation, Future<Answered>> work) {
    Flight flight;
    boolean first;
    synchronized (this) {
      Flight known = underWay.get(key);
      first = known == null;
      flight = first ? new Flight() : known;
      flight.waiting++;
      if (first) {
        underWay.put(key, flight);
      } else {
        joined.increment();
      }
    }
    Promise<Answered> answer = Promise.promise();
    flight.landed.future().onComplete(done -> complete(answer, done));
    mine.onCancel(() -> leave(key, flight, answer));
    if (first) {
      work.apply(flight.cancellation)
          .onComplete(
              done -> {
                synchronized (this) {
                  underWay.remove(key, flight);
                }
                complete(flight.landed, done);
              });
    }
    return answer.future();
  }

  private static void complete(
      Promise<Answered> promise, io.vertx.core.AsyncResult<Answered> done) {
    if (done.succeeded()) {
      promise.tryComplete(done.result());
    } else {
      promise.tryFail(done.cause());
    }
  }

  private void leave(Ask.Key key, Flight flight, Promise<Answered> answer) {
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

  long joined() {
    return joined.sum();
  }
}

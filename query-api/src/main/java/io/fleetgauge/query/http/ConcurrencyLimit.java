package io.fleetgauge.query.http;

import io.fleetgauge.promql.query.QueryFailure;
import io.vertx.core.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Work of one kind, of which only so much is done at once. Safe for all threads. */
public final class ConcurrencyLimit {
  private final int most;
  private final String what;
  private final AtomicInteger underWay = new AtomicInteger();

  /**
   * @param what the work, as an error calls it
   */
  public ConcurrencyLimit(int most, String what) {
    this.most = most;
    this.what = what;
  }

  /** Begins the work, or fails when there is too much of it. */
  public <T> Future<T> run(Supplier<Future<T>> work) {
    if (underWay.incrementAndGet() > most) {
      underWay.decrementAndGet();
      return Future.failedFuture(
          new QueryFailure(
              QueryFailure.Kind.UNAVAILABLE,
              "more than " + most + " " + what + " are answered; come again"));
    }
    return work.get().onComplete(done -> underWay.decrementAndGet());
  }
}

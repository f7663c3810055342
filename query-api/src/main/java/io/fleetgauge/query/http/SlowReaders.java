package io.fleetgauge.query.http;

import io.fleetgauge.promql.query.QueryFailure;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Sends long bodies. A client may read as slowly as it likes, so each body has a virtual thread of
 * its own, for which no query waits; a tenant has a limited number of them. Thread-safe.
 */
final class SlowReaders {
  private final Map<String, Integer> sending = new HashMap<>();
  private int all;

  /**
   * @param most number of bodies that a tenant may be sent at once
   * @param work sends a body
   * @return fails with a {@link QueryFailure} when the tenant is sent too many; completes on the
   *     caller's context
   */
  Future<Void> send(Vertx vertx, String tenant, int most, Callable<Void> work) {
    synchronized (this) {
      int now = sending.getOrDefault(tenant, 0);
      if (now >= most) {
        return Future.failedFuture(
            new QueryFailure(
                QueryFailure.Kind.LIMITED,
                now
                    + " long responses are being sent to tenant "
                    + tenant
                    + "; the limit running is "
                    + most
                    + "; read them to the end, or request less"));
      }
      sending.put(tenant, now + 1);
      all++;
    }
    Context caller = vertx.getOrCreateContext();
    Promise<Void> done = Promise.promise();
    Thread.ofVirtual()
        .name("response")
        .start(
            () -> {
              Future<Void> sent;
              try {
                sent = Future.succeededFuture(work.call());
              } catch (Throwable e) {
                // Without memory, too, the place is given back and the client gets an end.
                sent = Future.failedFuture(e);
              } finally {
                ended(tenant);
              }
              Future<Void> result = sent;
              caller.runOnContext(none -> result.onComplete(done));
            });
    return done.future();
  }

  private synchronized void ended(String tenant) {
    sending.merge(tenant, -1, Integer::sum);
    sending.remove(tenant, 0);
    all--;
  }

  /** Number of bodies that are being sent. */
  synchronized int count() {
    return all;
  }
}

package io.fleetgauge.gateway.serve;

import io.fleetgauge.promql.fair.FairQueue;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.query.QueryFailure;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * Places for fragments, each with a thread: those for light fragments are apart from those for
 * heavy ones, so that no light fragment waits for a heavy one. Waiting tenants take turns by their
 * weights. Thread-safe.
 */
final class FragmentPlaces {
  /** Query APIs have few fragments at a gateway at once; these are those of many query APIs. */
  private static final int MAX_WAITING = 2_000;

  private final Vertx vertx;
  private final WorkerExecutor lightThreads;
  private final WorkerExecutor heavyThreads;
  private final int light;
  private final int heavy;
  private final FairQueue<Runnable> queue = new FairQueue<>();

  /**
   * @param name of the threads
   * @param light how many light fragments are executed at once
   * @param heavy how many heavy ones
   */
  FragmentPlaces(Vertx vertx, String name, int light, int heavy) {
    this.vertx = vertx;
    this.lightThreads = vertx.createSharedWorkerExecutor(name, light);
    this.heavyThreads = vertx.createSharedWorkerExecutor("heavy-" + name, heavy);
    this.light = light;
    this.heavy = heavy;
  }

  /**
   * Executes work when it is its turn.
   *
   * @return fails with a {@link QueryFailure} if too much work waits
   */
  <T> Future<T> execute(Load load, Callable<T> work) {
    Promise<T> done = Promise.promise();
    WorkerExecutor threads = load.isHeavy() ? heavyThreads : lightThreads;
    Context caller = vertx.getOrCreateContext();
    FairQueue.Item<Runnable> item =
        new FairQueue.Item<>(
            load, () -> on(caller, () -> threads.executeBlocking(work, false).onComplete(done)));
    done.future().onComplete(any -> ended(item));
    synchronized (this) {
      if (queue.waiting() >= MAX_WAITING) {
        return Future.failedFuture(
            new QueryFailure(
                QueryFailure.Kind.UNAVAILABLE,
                MAX_WAITING + " fragments of queries wait for this gateway; try again later"));
      }
      queue.add(item);
    }
    begin();
    return done.future();
  }

  /** Another caller's work may have made room; the answer comes on the context of its own. */
  private static void on(Context caller, Runnable task) {
    if (Vertx.currentContext() == caller) {
      task.run();
    } else {
      caller.runOnContext(none -> task.run());
    }
  }

  private void ended(FairQueue.Item<Runnable> item) {
    synchronized (this) {
      queue.ended(item);
    }
    begin();
  }

  private void begin() {
    for (Optional<FairQueue.Item<Runnable>> next = next(); next.isPresent(); next = next()) {
      next.get().work().run();
    }
  }

  private synchronized Optional<FairQueue.Item<Runnable>> next() {
    return queue.next(
        (tenant, isHeavy) ->
            isHeavy
                ? queue.heavyRunning() < heavy
                : queue.running() - queue.heavyRunning() < light);
  }

  /** Returns the number of waiting fragments. */
  synchronized int waiting() {
    return queue.waiting();
  }
}

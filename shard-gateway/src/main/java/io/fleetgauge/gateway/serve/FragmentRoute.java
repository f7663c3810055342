package io.fleetgauge.gateway.serve;

import io.fleetgauge.gateway.store.read.TooManySamples;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentProtocol;
import io.fleetgauge.promql.fragment.form.FragmentCodec;
import io.fleetgauge.promql.query.LightWork;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.query.YieldToLightQueries;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/** Serves {@link FragmentProtocol}. */
public final class FragmentRoute {
  private static final int MAX_BODY_BYTES = 8 << 20;
  private static final long SAMPLES_MILLIS = 10_000;

  private final FragmentRunner runner;
  private final WorkerExecutor workers;
  private final WorkerExecutor heavyWorkers;
  private final LongAdder answered;
  private final LongAdder shed;
  private final LongAdder stopped;
  private final BooleanSupplier isShed;
  private final LightWork light = new LightWork();

  private FragmentRoute(
      FragmentRunner runner,
      WorkerExecutor workers,
      WorkerExecutor heavyWorkers,
      LongAdder answered,
      LongAdder shed,
      LongAdder stopped,
      BooleanSupplier isShed) {
    this.heavyWorkers = heavyWorkers;
    this.stopped = stopped;
    this.runner = runner;
    this.workers = workers;
    this.answered = answered;
    this.shed = shed;
    this.isShed = isShed;
  }

  /**
   * @param guard lets query APIs in
   * @param threads how many fragments run at once
   * @param answered counts the fragments
   * @param shed counts those that were refused for want of memory
   * @param stopped counts those that ended because nobody waited for them any more
   * @param isShed whether memory is short
   */
  public static void mount(
      Router router,
      Vertx vertx,
      Handler<RoutingContext> guard,
      FragmentRunner runner,
      int threads,
      LongAdder answered,
      LongAdder shed,
      LongAdder stopped,
      BooleanSupplier isShed) {
    FragmentRoute route =
        new FragmentRoute(
            runner,
            vertx.createSharedWorkerExecutor("fragments", threads),
            vertx.createSharedWorkerExecutor("heavy-fragments", Math.max(1, threads / 2)),
            answered,
            shed,
            stopped,
            isShed);
    router
        .post(FragmentProtocol.PATH)
        .handler(guard)
        .handler(BodyHandler.create(false).setBodyLimit(MAX_BODY_BYTES))
        .handler(route::run);
  }

  private void run(RoutingContext http) {
    byte[] body = http.body().buffer() == null ? new byte[0] : http.body().buffer().getBytes();
    if (FragmentCodec.isChanges(body)) {
      // Asked often and answered in no time, so on the event loop.
      end(http, body);
      return;
    }
    if (isShed.getAsBoolean()) {
      shed.increment();
      http.response()
          .setStatusCode(503)
          .putHeader("Retry-After", "2")
          .end("memory is short; queries are refused so that samples are not");
      return;
    }
    answered.increment();
    AtomicBoolean left = new AtomicBoolean();
    http.response().closeHandler(closed -> left.set(true));
    long arrived = System.nanoTime();
    Fragment fragment;
    try {
      fragment = FragmentCodec.decodeFragment(body);
    } catch (WireException e) {
      http.response().setStatusCode(400).end(String.valueOf(e.getMessage()));
      return;
    }
    boolean heavy = fragment.isHeavy();
    Optional<FragmentAnswer> quick = runner.quickly(fragment);
    if (quick.isPresent()) {
      light.begin();
      light.end();
      http.response()
          .putHeader("Content-Type", "application/octet-stream")
          .end(Buffer.buffer(FragmentCodec.encode(quick.get())));
      return;
    }
    StopCheck told = stopSign(fragment, left, arrived);
    StopCheck stop = heavy ? new YieldToLightQueries(told, light, half(fragment, arrived)) : told;
    if (!heavy) {
      light.begin();
    }
    (heavy ? heavyWorkers : workers)
        .executeBlocking(
            () -> {
              Optional<QueryFailure> over = stop.reason();
              if (over.isPresent()) {
                throw over.get();
              }
              return FragmentCodec.encode(runner.run(fragment, stop));
            },
            false)
        .onComplete(
            done -> {
              if (!heavy) {
                light.end();
              }
            })
        .onSuccess(
            bytes ->
                http.response()
                    .putHeader("Content-Type", "application/octet-stream")
                    .end(Buffer.buffer(bytes)))
        .onFailure(
            failure -> {
              if (failure instanceof QueryFailure) {
                stopped.increment();
              }
              int status =
                  switch (failure) {
                    case TooManySamples many -> 422;
                    case QueryFailure over -> 503;
                    default -> 500;
                  };
              http.response().setStatusCode(status).end(String.valueOf(failure.getMessage()));
            });
  }

  /** When half of a fragment's time is over; of samples, which are soon read, some seconds. */
  private static long half(Fragment fragment, long arrived) {
    long millis = fragment instanceof Fragment.Parts parts ? parts.timeoutMillis() : SAMPLES_MILLIS;
    return arrived + millis * 500_000;
  }

  private void end(RoutingContext http, byte[] body) {
    try {
      Fragment fragment = FragmentCodec.decodeFragment(body);
      http.response()
          .putHeader("Content-Type", "application/octet-stream")
          .end(Buffer.buffer(FragmentCodec.encode(runner.run(fragment, StopCheck.NEVER))));
    } catch (WireException | TooManySamples | QueryFailure e) {
      http.response().setStatusCode(400).end(String.valueOf(e.getMessage()));
    }
  }

  private static StopCheck stopSign(Fragment fragment, AtomicBoolean left, long arrived) {
    long millis = fragment instanceof Fragment.Parts parts ? parts.timeoutMillis() : Long.MAX_VALUE;
    return () ->
        left.get()
            ? Optional.of(
                new QueryFailure(QueryFailure.Kind.CANCELED, "whoever asked has gone away"))
            : (System.nanoTime() - arrived) / 1_000_000 >= millis
                ? Optional.of(
                    new QueryFailure(
                        QueryFailure.Kind.TIMEOUT, "there is no time left of " + millis + " ms"))
                : Optional.empty();
  }
}

package io.fleetgauge.gateway.serve;

import io.fleetgauge.gateway.store.TooManySamples;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/**
 * {@code POST /v1/fragments}: 200 with the answer, 400 for bad bytes, 422 over the budget, 503 when
 * memory is short.
 */
public final class FragmentRoute {
  private static final int MAX_BODY_BYTES = 8 << 20;

  private final FragmentRunner runner;
  private final WorkerExecutor workers;
  private final LongAdder answered;
  private final LongAdder shed;
  private final BooleanSupplier isShed;

  private FragmentRoute(
      FragmentRunner runner,
      WorkerExecutor workers,
      LongAdder answered,
      LongAdder shed,
      BooleanSupplier isShed) {
    this.runner = runner;
    this.workers = workers;
    this.answered = answered;
    this.shed = shed;
    this.isShed = isShed;
  }

  /**
   * @param threads how many fragments run at once
   * @param answered counts the fragments
   * @param shed counts those that were refused for want of memory
   * @param isShed whether memory is short
   */
  public static void mount(
      Router router,
      Vertx vertx,
      FragmentRunner runner,
      int threads,
      LongAdder answered,
      LongAdder shed,
      BooleanSupplier isShed) {
    FragmentRoute route =
        new FragmentRoute(
            runner, vertx.createSharedWorkerExecutor("fragments", threads), answered, shed, isShed);
    router
        .post("/v1/fragments")
        .handler(BodyHandler.create(false).setBodyLimit(MAX_BODY_BYTES))
        .handler(route::run);
  }

  private void run(RoutingContext http) {
    byte[] body = http.body().buffer() == null ? new byte[0] : http.body().buffer().getBytes();
    if (isShed.getAsBoolean()) {
      shed.increment();
      http.response()
          .setStatusCode(503)
          .putHeader("Retry-After", "2")
          .end("memory is short; queries are refused so that samples are not");
      return;
    }
    answered.increment();
    workers
        .executeBlocking(
            () -> FragmentCodec.encode(runner.run(FragmentCodec.decodeFragment(body))), false)
        .onSuccess(
            bytes ->
                http.response()
                    .putHeader("Content-Type", "application/octet-stream")
                    .end(Buffer.buffer(bytes)))
        .onFailure(
            failure -> {
              int status =
                  switch (failure) {
                    case WireException bad -> 400;
                    case TooManySamples many -> 422;
                    default -> 500;
                  };
              http.response().setStatusCode(status).end(String.valueOf(failure.getMessage()));
            });
  }
}

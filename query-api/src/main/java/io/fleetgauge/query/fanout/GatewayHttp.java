package io.fleetgauge.query.fanout;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.promql.fragment.FragmentProtocol;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.http.OutgoingRequest;
import io.fleetgauge.runtime.trace.Span;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.util.concurrent.Callable;

/** Sends fragments to gateways over HTTP and decodes their answers. Thread-safe. */
final class GatewayHttp {
  /** A body of this size is decoded faster than another thread wakes up. */
  private static final long SMALL_BYTES = 256 << 10;

  private static final int OK = 200;

  private final OutgoingHttp http;
  private final WorkerExecutor light;
  private final WorkerExecutor heavy;

  /**
   * @param light where large answers of light queries are decoded and merged
   * @param heavy where those of heavy queries are
   */
  GatewayHttp(OutgoingHttp http, WorkerExecutor light, WorkerExecutor heavy) {
    this.http = http;
    this.light = light;
    this.heavy = heavy;
  }

  /**
   * A gateway's answer.
   *
   * @param bytes its size when it was encoded
   */
  record Answer(FragmentAnswer answer, long bytes) {}

  /** A request to a gateway. */
  static final class Call {
    private final Future<Answer> answer;
    private final Sending sending;

    private Call(Future<Answer> answer, Sending sending) {
      this.answer = answer;
      this.sending = sending;
    }

    /**
     * Fails with a {@link QueryFailure} when every gateway would refuse the fragment alike, else
     * with why this one did not answer.
     */
    Future<Answer> answer() {
      return answer;
    }

    void cancel() {
      sending.cancel();
    }
  }

  /** Ends a request early. Once its response has come, the connection serves another request. */
  private static final class Sending {
    private HttpClientRequest request;
    private boolean cancelled;

    synchronized boolean begin(HttpClientRequest begun) {
      request = cancelled ? null : begun;
      return !cancelled;
    }

    synchronized void end() {
      request = null;
    }

    void cancel() {
      HttpClientRequest begun;
      synchronized (this) {
        cancelled = true;
        begun = request;
        request = null;
      }
      if (begun != null) {
        begun.reset();
      }
    }
  }

  /**
   * @param span that the request belongs to
   * @param timeoutMillis above 0
   */
  Call ask(URI gateway, Fragment fragment, Span span, long timeoutMillis) {
    Sending sending = new Sending();
    OutgoingRequest request =
        http.to(gateway, HttpMethod.POST, FragmentProtocol.PATH, timeoutMillis)
            .body(FragmentCodec.encode(fragment));
    if (!span.header().isEmpty()) {
      request.header(Span.HEADER, span.header());
    }
    Future<Answer> answer =
        request
            .send(sending::begin)
            .compose(GatewayHttp::body)
            .onComplete(ended -> sending.end())
            .compose(
                body ->
                    soon(
                        fragment.load(),
                        body.length(),
                        () ->
                            new Answer(
                                FragmentCodec.decode(body.getBytes(), fragment.question()),
                                body.length())));
    return new Call(answer, sending);
  }

  private static Future<Buffer> body(HttpAnswer answer) {
    return switch (answer.status()) {
      case OK -> Future.succeededFuture(answer.body());
      case 422 ->
          Future.failedFuture(
              new QueryFailure(QueryFailure.Kind.EXECUTION, answer.body().toString()));
      default -> Future.failedFuture("status " + answer.status() + ": " + answer.body());
    };
  }

  /**
   * Works on answers: at once when they are small, because another thread would take longer to wake
   * up, else on a worker.
   */
  <T> Future<T> soon(Load load, long bytes, Callable<T> work) {
    if (bytes > SMALL_BYTES) {
      return (load.isHeavy() ? heavy : light).executeBlocking(work, false);
    }
    try {
      return Future.succeededFuture(work.call());
    } catch (Exception e) {
      return Future.failedFuture(e);
    }
  }
}

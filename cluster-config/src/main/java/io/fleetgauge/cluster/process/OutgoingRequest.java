package io.fleetgauge.cluster.process;

import io.fleetgauge.cluster.trust.RequestHead;
import io.fleetgauge.cluster.trust.RequestSigner;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.RequestOptions;
import java.util.function.Function;
import java.util.function.Predicate;

/** One request to a process of the cluster, which is signed when it is sent. For one thread. */
public final class OutgoingRequest {
  private final OutgoingHttp http;
  private final RequestOptions options;
  private Buffer body = Buffer.buffer();

  OutgoingRequest(OutgoingHttp http, RequestOptions options) {
    this.http = http;
    this.options = options;
  }

  public OutgoingRequest header(String name, String value) {
    options.putHeader(name, value);
    return this;
  }

  public OutgoingRequest body(byte[] bytes) {
    body = Buffer.buffer(bytes);
    return this;
  }

  /** As {@link #send(Predicate, Function)}, in any case. */
  public <T> Future<T> send(Function<HttpClientResponse, Future<T>> read) {
    return send(begun -> true, read);
  }

  /**
   * @param begin is called when there is a connection; the request is sent if it returns true
   * @param read reads the response. It is called in the task in which the response arrives, and has
   *     to ask for the body there: off the event loop, a body that is asked for later may be lost
   */
  public <T> Future<T> send(
      Predicate<HttpClientRequest> begin, Function<HttpClientResponse, Future<T>> read) {
    byte[] digest = http.signer().isSet() ? BodyDigest.of(body) : new byte[0];
    return http.client()
        .request(options)
        .compose(
            request -> {
              if (!begin.test(request)) {
                request.reset();
                return Future.failedFuture("the request was cancelled");
              }
              sign(request, digest);
              return request
                  .send(body)
                  .compose(
                      response -> {
                        http.notice(options, response);
                        return read.apply(response);
                      });
            });
  }

  private void sign(HttpClientRequest request, byte[] digest) {
    RequestHead head =
        new RequestHead(options.getMethod().name(), options.getURI(), request.headers().entries());
    http.signer()
        .sign(RequestSigner.receiver(options.getHost(), options.getPort()), head, digest)
        .ifPresent(signature -> request.putHeader(RequestSigner.HEADER, signature));
  }
}

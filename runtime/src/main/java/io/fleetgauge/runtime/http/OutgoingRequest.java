package io.fleetgauge.runtime.http;

import io.fleetgauge.runtime.trust.RequestHead;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.NetSocket;
import java.util.function.Predicate;

/** One request to a process of the cluster, which is signed when it is sent. For one thread. */
public final class OutgoingRequest {
  private static final int SWITCHING_PROTOCOLS = 101;

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

  /** As {@link #send(Predicate)}, in any case. */
  public Future<HttpAnswer> send() {
    return send(begun -> true);
  }

  /**
   * Sends the request and reads the response with its body. The body is asked for in the task in
   * which the response arrives: later, or on another thread, some of it may have gone by. So nobody
   * is given a response without its body, and the answer may be used at any time.
   *
   * @param begin is called when there is a connection; the request is sent if it returns true
   */
  public Future<HttpAnswer> send(Predicate<HttpClientRequest> begin) {
    byte[] digest = digest();
    return http.client()
        .request(options)
        .compose(
            request -> {
              if (!begin.test(request)) {
                request.reset();
                return Future.failedFuture("the request was canceled");
              }
              sign(request, digest);
              return request.send(body).compose(this::whole);
            });
  }

  /**
   * Asks the process to go on with another protocol on the connection of this request. As with
   * {@link #send(Predicate)}, the response is read in the task in which it arrives.
   *
   * @param protocol its name and version
   * @return the connection, when the process has agreed. Who gets it closes it
   */
  public Future<NetSocket> upgrade(String protocol) {
    options.putHeader("Connection", "upgrade").putHeader("Upgrade", protocol);
    byte[] digest = digest();
    return http.client()
        .request(options)
        .compose(
            request -> {
              // What becomes of the connection later is told to whoever has it.
              request.exceptionHandler(failure -> {});
              sign(request, digest);
              return request.connect().compose(this::agreed);
            });
  }

  private Future<NetSocket> agreed(HttpClientResponse response) {
    if (response.statusCode() == SWITCHING_PROTOCOLS) {
      return Future.succeededFuture(response.netSocket());
    }
    return whole(response)
        .compose(answer -> Future.failedFuture("status " + answer.status() + ": " + answer.body()));
  }

  private byte[] digest() {
    return http.signer().isSet() ? BodyDigest.of(body) : new byte[0];
  }

  private Future<HttpAnswer> whole(HttpClientResponse response) {
    http.notice(options, response);
    return response
        .body()
        .map(bytes -> new HttpAnswer(response.statusCode(), response.headers(), bytes));
  }

  private void sign(HttpClientRequest request, byte[] digest) {
    if (!http.signer().isSet()) {
      return;
    }
    RequestHead head =
        new RequestHead(options.getMethod().name(), options.getURI(), request.headers().entries());
    http.signer()
        .sign(RequestSigner.receiver(options.getHost(), options.getPort()), head, digest)
        .ifPresent(signature -> request.putHeader(RequestSigner.HEADER, signature));
  }
}

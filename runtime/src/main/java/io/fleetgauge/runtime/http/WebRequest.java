package io.fleetgauge.runtime.http;

import io.fleetgauge.runtime.trust.RequestHead;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpRequest;
import io.vertx.ext.web.client.HttpResponse;
import java.io.OutputStream;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** One request that is not on the hot path. For one thread. */
public final class WebRequest {
  private static final int LONGEST_ANSWER = 64 << 20;

  private final WebRequests client;
  private final HttpMethod method;
  private final URI target;
  private final long timeoutMillis;
  private final MultiMap headers = MultiMap.caseInsensitiveMultiMap();
  private Buffer body = Buffer.buffer();
  private int longestAnswer = LONGEST_ANSWER;
  private Optional<OutputStream> sink = Optional.empty();
  private volatile Optional<AnswerBody> awaited = Optional.empty();

  WebRequest(WebRequests client, HttpMethod method, URI target, long timeoutMillis) {
    this.client = client;
    this.method = method;
    this.target = target;
    this.timeoutMillis = timeoutMillis;
  }

  public WebRequest header(String name, String value) {
    headers.set(name, value);
    return this;
  }

  public WebRequest body(byte[] bytes) {
    body = Buffer.buffer(bytes);
    return this;
  }

  /** Sets the most bytes that an answer may have; 64 MiB otherwise. */
  public WebRequest longestAnswer(int bytes) {
    longestAnswer = bytes;
    return this;
  }

  /**
   * Has the body of an answer with status 200 written to a sink while it comes, on the event loop,
   * and not kept.
   */
  public WebRequest into(OutputStream to) {
    sink = Optional.of(to);
    return this;
  }

  /**
   * Sends the request and reads the whole answer.
   *
   * @return fails with {@link HttpFailure}
   */
  public Future<HttpAnswer> send() {
    String path =
        target.getRawPath() + (target.getRawQuery() == null ? "" : "?" + target.getRawQuery());
    client
        .credentials()
        .headers(new RequestHead(method.name(), path, headers.entries()), target, body)
        .forEach(headers::set);
    AnswerBody answer = new AnswerBody(target, longestAnswer, sink);
    awaited = Optional.of(answer);
    HttpRequest<Buffer> request =
        client
            .web()
            .request(method, target.getPort(), host(), path)
            .ssl("https".equals(target.getScheme()))
            .putHeaders(headers)
            .as(answer);
    return sent(request)
        .timeout(timeoutMillis, TimeUnit.MILLISECONDS)
        .map(
            response -> {
              client.notice(target, response.statusCode(), response.getHeader("WWW-Authenticate"));
              return new HttpAnswer(response.statusCode(), response.headers(), response.body());
            })
        .recover(
            failure -> {
              answer.giveUp();
              return Future.failedFuture(
                  HttpFailure.of(target, client.tlsKeys(), timeoutMillis, failure));
            });
  }

  /** Ends the request, if it has been sent: nobody waits for its answer any more. */
  public void giveUp() {
    awaited.ifPresent(AnswerBody::giveUp);
  }

  private Future<HttpResponse<Buffer>> sent(HttpRequest<Buffer> request) {
    try {
      return body.length() == 0 ? request.send() : request.sendBuffer(body);
    } catch (IllegalStateException e) {
      return Future.failedFuture(e); // the client was closed meanwhile
    }
  }

  private String host() {
    String host = target.getHost();
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }
}

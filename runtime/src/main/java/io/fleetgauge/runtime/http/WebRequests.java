package io.fleetgauge.runtime.http;

import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.trust.RequestHead;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.ext.web.client.HttpRequest;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import java.net.URI;
import java.util.List;

/**
 * Outgoing requests that are not on the hot path: commands to other processes, and in time
 * notifications and discovery. A process makes one and keeps it. Safe for all threads.
 *
 * <p>Requests of the hot path use {@link OutgoingHttp}, which streams bodies and sets its own
 * limits.
 */
public final class WebRequests implements AutoCloseable {
  private static final int CONNECT_TIMEOUT_MILLIS = 3_000;
  private static final int CONNECTIONS = 4;
  private static final int MAX_WAITING = 100;

  private final RequestSigner signer;
  // Referred to for as long as it is used: a client that is collected closes its connections.
  private final WebClient client;

  /**
   * The response to a request.
   *
   * @param body as text; empty when there is none
   */
  public record Response(int status, String body) {}

  /**
   * @param signer signs every request, where the cluster has a secret
   */
  public WebRequests(Vertx vertx, TrustSettings trust, RequestSigner signer) {
    this.signer = signer;
    WebClientOptions options = new WebClientOptions();
    options.setConnectTimeout(CONNECT_TIMEOUT_MILLIS).setUserAgent("fleetgauge");
    this.client =
        WebClient.wrap(
            vertx
                .httpClientBuilder()
                .with(options)
                .with(OutgoingHttp.ssl(trust))
                .with(
                    new PoolOptions().setHttp1MaxSize(CONNECTIONS).setMaxWaitQueueSize(MAX_WAITING))
                .build(),
            options);
  }

  /**
   * Sends a request without a body.
   *
   * @param target an absolute address, http or https
   * @param timeoutMillis longest time until the whole response is there
   * @return fails when nothing answers in time
   */
  public Future<Response> send(HttpMethod method, URI target, long timeoutMillis) {
    String path =
        target.getRawPath() + (target.getRawQuery() == null ? "" : "?" + target.getRawQuery());
    HttpRequest<Buffer> request =
        client
            .request(method, target.getPort(), target.getHost(), path)
            .ssl("https".equals(target.getScheme()))
            .timeout(timeoutMillis);
    signer
        .sign(
            RequestSigner.receiver(target.getHost(), target.getPort()),
            new RequestHead(method.name(), path, List.of()),
            BodyDigest.of(null))
        .ifPresent(signature -> request.putHeader(RequestSigner.HEADER, signature));
    return request
        .send()
        .map(
            response ->
                new Response(
                    response.statusCode(),
                    response.bodyAsString() == null ? "" : response.bodyAsString()));
  }

  @Override
  public void close() {
    client.close();
  }
}

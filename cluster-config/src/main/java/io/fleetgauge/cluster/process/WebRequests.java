package io.fleetgauge.cluster.process;

import io.fleetgauge.cluster.config.TrustSettings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.ext.web.client.HttpRequest;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import java.net.URI;

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

  private final SecretFile secret;
  // Referred to for as long as it is used: a client that is collected closes its connections.
  private final WebClient client;

  /**
   * The response to a request.
   *
   * @param body as text; empty when there is none
   */
  public record Response(int status, String body) {}

  /**
   * @param secret is sent with every request when it is set
   */
  public WebRequests(Vertx vertx, TrustSettings trust, SecretFile secret) {
    this.secret = secret;
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
    HttpRequest<Buffer> request =
        client
            .request(method, target.getPort(), target.getHost(), target.getPath())
            .ssl("https".equals(target.getScheme()))
            .timeout(timeoutMillis);
    if (secret.isSet()) {
      request.putHeader(OutgoingHttp.SECRET, secret.text());
    }
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

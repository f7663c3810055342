package io.fleetgauge.runtime.http;

import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.trust.PeerComplaints;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Outgoing requests that are not on the hot path: commands, notifications, discovery. Follows no
 * redirects, which would show credentials to others. Safe for all threads.
 *
 * <p>Requests of the hot path use {@link OutgoingHttp}.
 */
public final class WebRequests implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WebRequests.class);

  private final ClientTls tls;
  private final Credentials credentials;
  private final boolean isTlsOnly;
  private final Optional<PeerComplaints> complaints;
  // Referred to for as long as it is used: a client that is collected closes its connections.
  private final HttpClientAgent client;
  private final WebClient web;

  public WebRequests(
      Vertx vertx, ClientTls tls, Credentials credentials, HttpClients.Limits limits) {
    this(tls, credentials, false, Optional.empty(), HttpClients.open(vertx, tls, limits));
  }

  private WebRequests(
      ClientTls tls,
      Credentials credentials,
      boolean isTlsOnly,
      Optional<PeerComplaints> complaints,
      HttpClientAgent client) {
    this.tls = tls;
    this.credentials = credentials;
    this.isTlsOnly = isTlsOnly;
    this.complaints = complaints;
    this.client = client;
    this.web =
        WebClient.wrap(
            client, new WebClientOptions().setUserAgent("fleetgauge").setFollowRedirects(false));
    web.addInterceptor(AnswerBody::follow);
  }

  /**
   * Requests to processes of the cluster. With {@code trust.ca}, all are sent over TLS.
   *
   * @param signer signs every request, where the cluster has a secret
   */
  public static WebRequests toCluster(
      Vertx vertx, TrustSettings trust, RequestSigner signer, HttpClients.Limits limits) {
    HttpClientAgent client = HttpClients.open(vertx, ClientTls.ofCluster(trust), limits);
    return toCluster(trust, signer, new PeerComplaints(), client);
  }

  static WebRequests toCluster(
      TrustSettings trust,
      RequestSigner signer,
      PeerComplaints complaints,
      HttpClientAgent client) {
    return new WebRequests(
        ClientTls.ofCluster(trust),
        Credentials.ofCluster(signer),
        trust.ca().isPresent(),
        Optional.of(complaints),
        client);
  }

  /**
   * A request.
   *
   * @param target an absolute address, http or https
   * @param timeoutMillis longest time until the whole answer is there
   */
  public WebRequest to(HttpMethod method, URI target, long timeoutMillis) {
    return new WebRequest(this, method, whole(target), timeoutMillis);
  }

  /** The address with its port, and a path. */
  private URI whole(URI target) {
    String scheme = isTlsOnly ? "https" : target.getScheme();
    int port = target.getPort();
    if (port < 0) {
      port = "https".equals(scheme) ? 443 : 80;
    }
    String path = target.getRawPath().isEmpty() ? "/" : target.getRawPath();
    String query = target.getRawQuery() == null ? "" : "?" + target.getRawQuery();
    return URI.create(scheme + "://" + target.getHost() + ":" + port + path + query);
  }

  /** Logs when a process of the cluster rejects the signature of this one, or the lack of one. */
  void notice(URI target, int status, String challenge) {
    complaints
        .filter(all -> all.concerns(status))
        .ifPresent(
            all ->
                all.heard(target.getScheme() + "://" + target.getAuthority(), status, challenge));
  }

  Credentials credentials() {
    return credentials;
  }

  String tlsKeys() {
    return tls.keys();
  }

  WebClient web() {
    return web;
  }

  @Override
  public void close() {
    try {
      client.close().await(2, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      LOG.warn("connections did not close in time");
    }
  }
}

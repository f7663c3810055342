package io.fleetgauge.runtime.http;

import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.trust.PeerComplaints;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP client for the hot path: frames, copies to replicas, fragments. Requests go to processes of
 * the cluster and are signed where the cluster has a secret. Safe for all threads.
 *
 * <p>With {@code trust.ca}, every request is sent over TLS, whatever scheme an address has:
 * addresses come from others.
 */
public final class OutgoingHttp implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OutgoingHttp.class);

  private final TrustSettings trust;
  private final RequestSigner signer;
  private final boolean isTlsOnly;
  private final PeerComplaints complaints = new PeerComplaints();
  // Referred to for as long as it is used: a client that is collected closes its connections.
  private final HttpClientAgent client;

  /**
   * @param signer signs every request, where the cluster has a secret
   */
  public OutgoingHttp(
      Vertx vertx, TrustSettings trust, RequestSigner signer, HttpClients.Limits limits) {
    this.trust = trust;
    this.signer = signer;
    this.isTlsOnly = trust.ca().isPresent();
    trust.key().ifPresent(SecretFile::warn);
    this.client = HttpClients.open(vertx, ClientTls.ofCluster(trust), limits);
  }

  /** Requests that are not on the hot path, over the same connections. */
  public WebRequests web() {
    return WebRequests.toCluster(trust, signer, complaints, client);
  }

  /** A request to a process. */
  public OutgoingRequest to(URI address, HttpMethod method, String path, long timeoutMillis) {
    return new OutgoingRequest(this, options(address, method, path, timeoutMillis));
  }

  RequestOptions options(URI address, HttpMethod method, String path, long timeoutMillis) {
    return new RequestOptions()
        .setMethod(method)
        .setHost(address.getHost())
        .setPort(address.getPort())
        .setSsl(isTlsOnly || "https".equals(address.getScheme()))
        .setURI(path)
        .setTimeout(timeoutMillis);
  }

  HttpClient client() {
    return client;
  }

  RequestSigner signer() {
    return signer;
  }

  /** Logs when a process rejects the signature of this one, or the lack of one. */
  void notice(RequestOptions request, HttpClientResponse response) {
    if (complaints.concerns(response.statusCode())) {
      complaints.heard(
          (request.isSsl() ? "https://" : "http://") + request.getHost() + ":" + request.getPort(),
          response.statusCode(),
          response.getHeader("WWW-Authenticate"));
    }
  }

  @Override
  public void close() {
    try {
      client.close().await(2, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      LOG.warn("connections to gateways did not close in time");
    }
  }
}

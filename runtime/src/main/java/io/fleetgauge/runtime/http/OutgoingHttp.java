package io.fleetgauge.runtime.http;

import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.trust.PeerComplaints;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP client for requests to other processes of the cluster, which are signed where the cluster
 * has a secret. Safe for all threads.
 *
 * <p>With {@code trust.ca}, every request is sent over TLS, whatever scheme an address has:
 * addresses come from others.
 */
public final class OutgoingHttp implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OutgoingHttp.class);

  private final RequestSigner signer;
  private final boolean isTlsOnly;
  private final PeerComplaints complaints = new PeerComplaints();
  // Referred to for as long as it is used: a client that is collected closes its connections.
  private final HttpClientAgent client;

  /**
   * Limits of a client.
   *
   * @param connectMillis longest time to connect
   * @param keepSeconds how long an idle connection is kept
   * @param connections most connections to one address
   * @param waiting most requests that wait for a connection
   */
  public record Limits(int connectMillis, int keepSeconds, int connections, int waiting) {}

  /**
   * @param signer signs every request, where the cluster has a secret
   */
  public OutgoingHttp(Vertx vertx, TrustSettings trust, RequestSigner signer, Limits limits) {
    this.signer = signer;
    this.isTlsOnly = trust.ca().isPresent();
    trust.key().ifPresent(SecretFile::warn);
    this.client =
        vertx
            .httpClientBuilder()
            .with(
                new HttpClientOptions()
                    .setConnectTimeout(limits.connectMillis())
                    .setKeepAliveTimeout(limits.keepSeconds()))
            .with(ssl(trust))
            .with(
                new PoolOptions()
                    .setHttp1MaxSize(limits.connections())
                    .setMaxWaitQueueSize(limits.waiting()))
            // The request fails with the cause; a gateway that dies is no error of this process.
            .withConnectHandler(
                connection ->
                    connection.exceptionHandler(
                        failure -> LOG.debug("a connection broke", failure)))
            .build();
    ChangedFiles.watch(
        vertx,
        files(trust),
        () ->
            client
                .updateSSLOptions(ssl(trust), true)
                .onFailure(
                    failure ->
                        LOG.error(
                            "trust.ca, trust.certificate or trust.key cannot be used", failure)));
  }

  /** The files that {@link #ssl} reads. */
  public static List<Path> files(TrustSettings trust) {
    return Stream.of(trust.ca(), trust.certificate(), trust.key())
        .flatMap(file -> file.stream())
        .toList();
  }

  /** How a client knows servers and shows who it is. */
  public static ClientSSLOptions ssl(TrustSettings trust) {
    ClientSSLOptions options = new ClientSSLOptions();
    // The certificate must contain the gateway's name or IP address, whichever its URL has.
    options.setHostnameVerificationAlgorithm("HTTPS");
    trust.ca().ifPresent(ca -> options.setTrustOptions(new PemTrustOptions().addCertPath("" + ca)));
    if (trust.certificate().isPresent() && trust.key().isPresent()) {
      options.setKeyCertOptions(
          new PemKeyCertOptions()
              .addCertPath(trust.certificate().get().toString())
              .addKeyPath(trust.key().get().toString()));
    }
    return options;
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

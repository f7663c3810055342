package io.fleetgauge.cluster.process;

import io.fleetgauge.cluster.config.TrustSettings;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
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
 * HTTP client for requests to other processes of the cluster, with the cluster's secret and
 * certificates. Safe for all threads.
 */
public final class OutgoingHttp implements AutoCloseable {
  /** The header with the cluster's secret, by which processes authenticate to each other. */
  static final String SECRET = "X-Fleetgauge-Secret";

  private static final Logger LOG = LoggerFactory.getLogger(OutgoingHttp.class);

  private final SecretFile secret;
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
   * @param secret is sent with every request when it is set
   */
  public OutgoingHttp(Vertx vertx, TrustSettings trust, SecretFile secret, Limits limits) {
    this.secret = secret;
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
    List<Path> files =
        Stream.of(trust.ca(), trust.certificate(), trust.key())
            .flatMap(file -> file.stream())
            .toList();
    ChangedFiles.watch(
        vertx,
        files,
        () ->
            client
                .updateSSLOptions(ssl(trust), true)
                .onFailure(
                    failure ->
                        LOG.error(
                            "trust.ca, trust.certificate or trust.key cannot be used", failure)));
  }

  static ClientSSLOptions ssl(TrustSettings trust) {
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

  /** The client that sends the requests. */
  public HttpClient client() {
    return client;
  }

  /** A request to a process, with the cluster's secret. */
  public RequestOptions to(URI address, HttpMethod method, String path, long timeoutMillis) {
    RequestOptions options =
        new RequestOptions()
            .setMethod(method)
            .setHost(address.getHost())
            .setPort(address.getPort())
            .setSsl("https".equals(address.getScheme()))
            .setURI(path)
            .setTimeout(timeoutMillis);
    if (secret.isSet()) {
      options.putHeader(SECRET, secret.text());
    }
    return options;
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

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
 * Asks gateways over HTTP, with what the cluster's processes show each other. Safe for all threads.
 */
public final class OutgoingHttp implements AutoCloseable {
  /** The header in which the cluster's own processes show their secret. */
  static final String SECRET = "X-Fleetgauge-Secret";

  private static final Logger LOG = LoggerFactory.getLogger(OutgoingHttp.class);

  private final SecretFile secret;
  // Held on to: a client that nobody refers to closes its sockets.
  private final HttpClientAgent client;

  /**
   * Limits of a client.
   *
   * @param connectMillis longest time to connect
   * @param keepSeconds how long a connection that nobody uses is kept
   * @param connections to one address
   * @param waiting most requests that wait for one
   */
  public record Limits(int connectMillis, int keepSeconds, int connections, int waiting) {}

  /**
   * @param secret is shown in every request
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
            // Whoever asked is told; a gateway that dies is no error of this process.
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
                .onFailure(failure -> LOG.error("the files of trust cannot be used", failure)));
  }

  static ClientSSLOptions ssl(TrustSettings trust) {
    ClientSSLOptions options = new ClientSSLOptions();
    // Gateways go by addresses as well as by names; either has to stand in the certificate.
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

  /** The client. */
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

package io.fleetgauge.runtime.http;

import io.fleetgauge.runtime.files.ChangedFiles;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.net.AddressResolver;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The maker of outgoing HTTP clients. Whoever gets a client refers to it for as long as it is used:
 * a client that is collected closes its connections.
 */
public final class HttpClients {
  private static final Logger LOG = LoggerFactory.getLogger(HttpClients.class);

  private HttpClients() {}

  /**
   * Limits of a client.
   *
   * @param connectMillis longest time to connect
   * @param keepSeconds how long an idle connection is kept
   * @param connections most connections to one address
   * @param waiting most requests that wait for a connection
   */
  public record Limits(int connectMillis, int keepSeconds, int connections, int waiting) {}

  /** A client that reads its certificates again when they change. */
  public static HttpClientAgent open(Vertx vertx, ClientTls tls, Limits limits) {
    HttpClientAgent client =
        vertx
            .httpClientBuilder()
            .with(
                new HttpClientOptions()
                    .setConnectTimeout(limits.connectMillis())
                    .setKeepAliveTimeout(limits.keepSeconds()))
            .with(tls.options())
            .with(
                new PoolOptions()
                    .setHttp1MaxSize(limits.connections())
                    .setMaxWaitQueueSize(limits.waiting()))
            // A name is looked up for each connection. Vert.x alone looks it up once, and keeps the
            // address while requests come, also when a Pod of this name has another one by now.
            .withAddressResolver(AddressResolver.<SocketAddress>mappingResolver(List::of))
            // The request fails with the cause; a server that dies is no error of this process.
            .withConnectHandler(
                connection ->
                    connection.exceptionHandler(
                        failure -> LOG.debug("a connection broke", failure)))
            .build();
    ChangedFiles.watch(
        vertx,
        tls.files(),
        () ->
            client
                .updateSSLOptions(tls.options(), true)
                .onFailure(
                    failure ->
                        LOG.error(
                            "the files of {} cannot be used, those read before stay in use",
                            tls.keys(),
                            failure)));
    return client;
  }

  /**
   * A client for servers at Unix sockets of this machine, without TLS.
   *
   * @param version the only one that is spoken
   * @param isKept whether connections are used for several requests
   */
  public static HttpClientAgent overUnixSockets(Vertx vertx, HttpVersion version, boolean isKept) {
    return vertx.createHttpClient(
        new HttpClientOptions()
            .setProtocolVersion(version)
            .setHttp2ClearTextUpgrade(false)
            .setKeepAlive(isKept));
  }
}

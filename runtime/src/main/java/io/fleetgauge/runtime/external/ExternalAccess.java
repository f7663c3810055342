package io.fleetgauge.runtime.external;

import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.ChangedFiles;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.http.SecretFile;
import io.fleetgauge.runtime.process.StartFailure;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.ClientSSLOptions;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this process shows to a server of another system, and which certificates it accepts of it.
 * Safe for all threads.
 */
public final class ExternalAccess {
  private static final Logger LOG = LoggerFactory.getLogger(ExternalAccess.class);

  private final String section;
  private final AccessSettings settings;
  private final TrustSettings tls;
  private final SecretFile token;
  private final SecretFile user;

  private ExternalAccess(
      String section, AccessSettings settings, SecretFile token, SecretFile user) {
    this.section = section;
    this.settings = settings;
    this.tls = TrustSettings.ofFiles(settings.ca(), settings.certificate(), settings.key());
    this.token = token;
    this.user = user;
  }

  /**
   * @param section of the keys, for messages
   * @throws StartFailure if a file with a secret cannot be used
   */
  public static ExternalAccess open(String section, AccessSettings settings) throws StartFailure {
    return new ExternalAccess(
        section,
        settings,
        SecretFile.ofOthers(section + ".tokenFile", settings.token()),
        SecretFile.ofOthers(section + ".userFile", settings.user()));
  }

  /**
   * A client for requests to such servers. Whoever has it refers to it for as long as it is used: a
   * client that is collected closes its connections.
   *
   * @param connectMillis longest time to connect
   * @param keepSeconds how long an idle connection is kept
   */
  public HttpClientAgent client(
      Vertx vertx, int connectMillis, int keepSeconds, PoolOptions connections) {
    HttpClientAgent client =
        vertx
            .httpClientBuilder()
            .with(
                new HttpClientOptions()
                    .setConnectTimeout(connectMillis)
                    .setKeepAliveTimeout(keepSeconds))
            .with(ssl())
            .with(connections)
            .withConnectHandler(
                connection ->
                    connection.exceptionHandler(
                        failure -> LOG.debug("a connection of {} broke", section, failure)))
            .build();
    ChangedFiles.watch(
        vertx,
        OutgoingHttp.files(tls),
        () ->
            client
                .updateSSLOptions(ssl(), true)
                .onFailure(
                    failure -> LOG.error("the files of {}.tls cannot be used", section, failure)));
    return client;
  }

  private ClientSSLOptions ssl() {
    ClientSSLOptions options = OutgoingHttp.ssl(tls);
    return settings.isUnverified()
        ? options.setTrustAll(true).setHostnameVerificationAlgorithm("")
        : options;
  }

  /** Reads its secrets again; may block. */
  public void look() {
    token.look();
    user.look();
  }

  /**
   * A request, with the secret that the server wants.
   *
   * @param server with a port
   * @param path with the query, if there is one
   */
  public RequestOptions request(URI server, String path) {
    String host = server.getHost();
    RequestOptions options =
        new RequestOptions()
            .setHost(host.startsWith("[") ? host.substring(1, host.length() - 1) : host)
            .setPort(server.getPort())
            .setSsl("https".equals(server.getScheme()))
            .setURI(path)
            .putHeader("User-Agent", "fleetgauge");
    if (token.isSet()) {
      options.putHeader("Authorization", "Bearer " + token.text());
    } else if (user.isSet()) {
      byte[] plain = user.text().getBytes(StandardCharsets.UTF_8);
      options.putHeader("Authorization", "Basic " + Base64.getEncoder().encodeToString(plain));
    }
    return options;
  }
}

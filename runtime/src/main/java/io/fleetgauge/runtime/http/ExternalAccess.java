package io.fleetgauge.runtime.http;

import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.trust.RequestHead;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/**
 * Access to servers of another system: the token or password that they want, and the certificates
 * that are accepted of them. Nothing that proves membership of the cluster is shown to them. Safe
 * for all threads.
 */
public final class ExternalAccess implements Credentials {
  private final ClientTls tls;
  private final SecretFile token;
  private final SecretFile user;

  private ExternalAccess(ClientTls tls, SecretFile token, SecretFile user) {
    this.tls = tls;
    this.token = token;
    this.user = user;
  }

  /**
   * @param section of the keys, for messages
   * @throws StartFailure if a file with a secret cannot be used
   */
  public static ExternalAccess open(String section, AccessSettings settings) throws StartFailure {
    return new ExternalAccess(
        ClientTls.ofExternal(section, settings),
        SecretFile.ofOthers(section + ".tokenFile", settings.token()),
        SecretFile.ofOthers(section + ".userFile", settings.user()));
  }

  /** Requests to such servers. */
  public WebRequests requests(Vertx vertx, HttpClients.Limits limits) {
    return new WebRequests(vertx, tls, this, limits);
  }

  /** A client whose answers are read while they come. Its requests are made by {@link #request}. */
  public HttpClientAgent client(Vertx vertx, HttpClients.Limits limits) {
    return HttpClients.open(vertx, tls, limits);
  }

  /** Reads its secrets again; may block. */
  public void look() {
    token.look();
    user.look();
  }

  @Override
  public Map<String, String> headers(RequestHead head, URI target, Buffer body) {
    return headers();
  }

  private Map<String, String> headers() {
    if (token.isSet()) {
      return Map.of("Authorization", "Bearer " + token.text());
    }
    if (user.isSet()) {
      byte[] plain = user.text().getBytes(StandardCharsets.UTF_8);
      return Map.of("Authorization", "Basic " + Base64.getEncoder().encodeToString(plain));
    }
    return Map.of();
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
    headers().forEach(options::putHeader);
    return options;
  }
}

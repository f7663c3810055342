package io.fleetgauge.runtime.discovery;

import io.fleetgauge.runtime.config.ConsulApi;
import io.fleetgauge.runtime.discovery.BadAnswer.Reason;
import io.fleetgauge.runtime.http.ClientTls;
import io.fleetgauge.runtime.http.Credentials;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.HttpFailure;
import io.fleetgauge.runtime.http.WebRequests;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Requests to an API of another system, with a token and a limit on answers. Files are read again
 * when they change. Safe for all threads.
 */
final class ApiRequests implements AutoCloseable {
  static final int OK = 200;
  static final int NOT_FOUND = 404;

  private static final int KEEP_SECONDS = 60;
  private static final int LONGEST_TOKEN = 64 << 10;

  private final Vertx vertx;
  private final URI address;
  private final Optional<Path> tokenFile;
  private final String tokenHeader;
  private final String tokenPrefix;
  private final long timeoutMillis;
  private final int maxBytes;
  private final WebRequests requests;

  private ApiRequests(
      Vertx vertx,
      URI address,
      Optional<Path> tokenFile,
      String tokenHeader,
      String tokenPrefix,
      ClientTls tls,
      long timeoutMillis,
      int maxBytes) {
    this.vertx = vertx;
    this.address = address;
    this.tokenFile = tokenFile;
    this.tokenHeader = tokenHeader;
    this.tokenPrefix = tokenPrefix;
    this.timeoutMillis = timeoutMillis;
    this.maxBytes = maxBytes;
    this.requests =
        new WebRequests(
            vertx,
            tls,
            Credentials.NONE,
            new HttpClients.Limits((int) timeoutMillis, KEEP_SECONDS, 1, 4));
  }

  static ApiRequests toKubernetes(
      Vertx vertx, URI api, Path tokenFile, Path ca, long timeoutMillis, int maxBytes) {
    // Outside of a cluster there may be neither, as with kubectl proxy.
    return new ApiRequests(
        vertx,
        api,
        Optional.of(tokenFile).filter(file -> Files.exists(file)),
        "Authorization",
        "Bearer ",
        new ClientTls(
            "kubernetes.ca",
            Optional.of(ca).filter(file -> Files.exists(file)),
            Optional.empty(),
            Optional.empty(),
            false),
        timeoutMillis,
        maxBytes);
  }

  static ApiRequests toConsul(Vertx vertx, ConsulApi api, long timeoutMillis, int maxBytes) {
    return new ApiRequests(
        vertx,
        api.address(),
        api.tokenFile(),
        "X-Consul-Token",
        "",
        new ClientTls(
            "consul.ca, consul.certificate or consul.key",
            api.ca(),
            api.certificate(),
            api.key(),
            false),
        timeoutMillis,
        maxBytes);
  }

  /** A part of a path or of a query string. */
  static String escaped(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /**
   * The body of a good answer.
   *
   * @throws BadAnswer if the status is not 200
   */
  static byte[] good(HttpAnswer answer) throws BadAnswer {
    byte[] body = answer.body().getBytes();
    if (answer.status() != OK) {
      throw new BadAnswer(
          Reason.REFUSED,
          "it responds with status " + answer.status() + ": " + AddressList.shown(body));
    }
    return body;
  }

  URI address() {
    return address;
  }

  Future<HttpAnswer> get(String path) {
    return send(HttpMethod.GET, path, new byte[0]);
  }

  Future<HttpAnswer> put(String path, byte[] body) {
    return send(HttpMethod.PUT, path, body);
  }

  /**
   * Sends a request.
   *
   * @return fails when the whole answer is not there in time, or is too long
   */
  private Future<HttpAnswer> send(HttpMethod method, String path, byte[] body) {
    return vertx
        .executeBlocking(this::token, false)
        .compose(
            token -> {
              var request =
                  requests
                      .to(method, address.resolve(path), timeoutMillis)
                      .header("Accept", "application/json")
                      .longestAnswer(maxBytes)
                      .body(body);
              token.ifPresent(text -> request.header(tokenHeader, tokenPrefix + text));
              return request.send();
            })
        .recover(
            failure ->
                Future.failedFuture(failure instanceof HttpFailure http ? bad(http) : failure));
  }

  private BadAnswer bad(HttpFailure failure) {
    return failure.kind() == HttpFailure.Kind.TOO_LONG
        ? new BadAnswer(
            Reason.TOO_LONG, "the response is longer than maxAnswer, " + maxBytes + " B")
        : new BadAnswer(Reason.UNREACHABLE, failure.reason());
  }

  /** Read each time: Kubernetes renews tokens. */
  private Optional<String> token() throws BadAnswer {
    if (tokenFile.isEmpty()) {
      return Optional.empty();
    }
    try (var in = Files.newInputStream(tokenFile.get())) {
      String token = new String(in.readNBytes(LONGEST_TOKEN), StandardCharsets.US_ASCII).strip();
      if (!token.matches("\\p{Graph}+")) {
        throw new BadAnswer(
            Reason.REFUSED,
            "the file "
                + tokenFile.get()
                + " holds no token: it is empty, or has"
                + " characters that no token has");
      }
      return Optional.of(token);
    } catch (IOException e) {
      throw new BadAnswer(Reason.REFUSED, "the token cannot be read: " + e);
    }
  }

  @Override
  public void close() {
    requests.close();
  }
}

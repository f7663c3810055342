package io.fleetgauge.runtime.discovery;

import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.config.discovery.ConsulApi;
import io.fleetgauge.runtime.discovery.BadAnswer.Reason;
import io.fleetgauge.runtime.http.ChangedFiles;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests to an API of another system, with a token and a limit on answers. Files are read again
 * when they change. Safe for all threads.
 */
final class ApiRequests implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ApiRequests.class);
  private static final int KEEP_SECONDS = 60;
  private static final int LONGEST_TOKEN = 64 << 10;

  private final Vertx vertx;
  private final URI address;
  private final Optional<Path> tokenFile;
  private final String tokenHeader;
  private final String tokenPrefix;
  private final long timeoutMillis;
  private final int maxBytes;
  // Referred to for as long as it is used: a client that is collected closes its connections.
  private final HttpClientAgent client;

  /**
   * The response to a request.
   *
   * @param body no longer than the limit
   */
  record Answer(int status, byte[] body) {
    static final int OK = 200;
    static final int NOT_FOUND = 404;

    boolean isOk() {
      return status == OK;
    }

    /**
     * The body of a good answer.
     *
     * @throws BadAnswer if the status is another one
     */
    byte[] good() throws BadAnswer {
      if (!isOk()) {
        throw new BadAnswer(
            Reason.REFUSED, "it answers with status " + status + ": " + AddressList.shown(body));
      }
      return body;
    }
  }

  private ApiRequests(
      Vertx vertx,
      URI address,
      Optional<Path> tokenFile,
      String tokenHeader,
      String tokenPrefix,
      TrustSettings trust,
      long timeoutMillis,
      int maxBytes) {
    this.vertx = vertx;
    this.address = address;
    this.tokenFile = tokenFile;
    this.tokenHeader = tokenHeader;
    this.tokenPrefix = tokenPrefix;
    this.timeoutMillis = timeoutMillis;
    this.maxBytes = maxBytes;
    this.client =
        vertx
            .httpClientBuilder()
            .with(
                new HttpClientOptions()
                    .setConnectTimeout((int) timeoutMillis)
                    .setKeepAliveTimeout(KEEP_SECONDS)
                    .setDecompressionSupported(false))
            .with(OutgoingHttp.ssl(trust))
            .with(new PoolOptions().setHttp1MaxSize(1).setMaxWaitQueueSize(4))
            .withConnectHandler(
                connection ->
                    connection.exceptionHandler(
                        failure -> LOG.debug("a connection broke", failure)))
            .build();
    ChangedFiles.watch(
        vertx,
        OutgoingHttp.files(trust),
        () ->
            client
                .updateSSLOptions(OutgoingHttp.ssl(trust), true)
                .onFailure(
                    failure ->
                        LOG.error(
                            "a certificate, key or authority for {} cannot be used",
                            address,
                            failure)));
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
        TrustSettings.ofFiles(
            Optional.of(ca).filter(file -> Files.exists(file)), Optional.empty(), Optional.empty()),
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
        TrustSettings.ofFiles(api.ca(), api.certificate(), api.key()),
        timeoutMillis,
        maxBytes);
  }

  /** A part of a path or of a query string. */
  static String escaped(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  URI address() {
    return address;
  }

  Future<Answer> get(String path) {
    return send(HttpMethod.GET, path, new byte[0]);
  }

  Future<Answer> put(String path, byte[] body) {
    return send(HttpMethod.PUT, path, body);
  }

  /**
   * Sends a request.
   *
   * @return fails when the whole answer is not there in time, or is too long
   */
  private Future<Answer> send(HttpMethod method, String path, byte[] body) {
    RequestOptions options =
        new RequestOptions()
            .setMethod(method)
            .setHost(host())
            .setPort(address.getPort())
            .setSsl("https".equals(address.getScheme()))
            .setURI(path)
            .setTimeout(timeoutMillis)
            .putHeader("Accept", "application/json")
            .putHeader("User-Agent", "fleetgauge");
    return vertx
        .executeBlocking(this::token, false)
        .compose(
            token -> {
              token.ifPresent(text -> options.putHeader(tokenHeader, tokenPrefix + text));
              return client.request(options);
            })
        .compose(request -> whole(request, body));
  }

  private String host() {
    String host = address.getHost();
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
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

  private Future<Answer> whole(HttpClientRequest request, byte[] sent) {
    Promise<Answer> answer = Promise.promise();
    // That of the request ends when the body begins.
    long timer =
        vertx.setTimer(
            timeoutMillis,
            id -> {
              answer.tryFail(
                  new BadAnswer(
                      Reason.UNREACHABLE,
                      "the answer is not whole after " + timeoutMillis + " ms"));
              request.reset();
            });
    request
        .send(Buffer.buffer(sent))
        .onSuccess(response -> read(request, response, answer))
        .onFailure(answer::tryFail);
    return answer.future().onComplete(done -> vertx.cancelTimer(timer));
  }

  private void read(
      HttpClientRequest request, HttpClientResponse response, Promise<Answer> answer) {
    Buffer body = Buffer.buffer();
    response.exceptionHandler(answer::tryFail);
    response.handler(
        some -> {
          if (body.length() + some.length() > maxBytes) {
            answer.tryFail(
                new BadAnswer(
                    Reason.TOO_LONG, "the answer is longer than maxAnswer, " + maxBytes + " B"));
            request.reset();
          } else {
            body.appendBuffer(some);
          }
        });
    response.endHandler(
        end -> answer.tryComplete(new Answer(response.statusCode(), body.getBytes())));
  }

  @Override
  public void close() {
    try {
      client.close().await(2, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      LOG.warn("connections to {} did not close in time", address);
    }
  }
}

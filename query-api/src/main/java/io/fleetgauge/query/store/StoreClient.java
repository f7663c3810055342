package io.fleetgauge.query.store;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.config.SourceSettings;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.runtime.files.FilePoller;
import io.fleetgauge.runtime.http.ExternalAccess;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.HttpFailure;
import io.fleetgauge.runtime.http.WebRequest;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.zip.GZIPInputStream;

/** Requests to one store, with its limits. Safe for all threads. */
final class StoreClient implements AutoCloseable {
  private static final int KEEP_SECONDS = 60;
  private static final int CONNECTIONS = 16;
  private static final int WAITING = 1_000;
  private static final int CONNECT_MILLIS = 5_000;

  /** Secrets are read again so often. */
  private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

  /** A store that hangs leaves the query the rest of its time to answer without it. */
  private static final double SHARE_OF_TIME = 0.8;

  private final SourceSettings settings;
  private final WebRequests requests;
  private final FilePoller looks;
  private final StoreCounts counts = new StoreCounts();

  /**
   * A response, whatever its status.
   *
   * @param received the body as it came
   */
  record Response(int status, String type, boolean isCompressed, Buffer received) {
    /** The body after decompression, which may take long. */
    byte[] body(int maxBytes) throws WireException {
      byte[] bytes = received.getBytes();
      if (!isCompressed) {
        return bytes;
      }
      try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
        bytes = in.readNBytes(maxBytes + 1);
      } catch (IOException e) {
        throw new WireException("its compression is damaged: " + e.getMessage());
      }
      if (bytes.length > maxBytes) {
        throw new WireException("it is longer than " + maxBytes + " bytes");
      }
      return bytes;
    }

    /** Returns true if the store says that the request is wrong. */
    boolean isRefusal() {
      return status == 400 || status == 404 || status == 405 || status == 422;
    }
  }

  /**
   * @throws StartFailure if a file with a secret cannot be used
   */
  StoreClient(Vertx vertx, SourceSettings settings) throws StartFailure {
    this.settings = settings;
    String section = "sources." + settings.name();
    ExternalAccess access = ExternalAccess.open(section, settings.access());
    this.requests =
        access.requests(
            vertx, new HttpClients.Limits(CONNECT_MILLIS, KEEP_SECONDS, CONNECTIONS, WAITING));
    this.looks = FilePoller.start(vertx, "secrets of " + section, LOOK_EVERY, access::look);
  }

  StoreCounts counts() {
    return counts;
  }

  /** Sends parameters, each with its value, as a form. */
  Future<Response> form(String path, List<String> parameters, ReadOptions options) {
    StringJoiner form = new StringJoiner("&");
    for (int i = 0; i < parameters.size(); i += 2) {
      form.add(parameters.get(i) + "=" + encoded(parameters.get(i + 1)));
    }
    return send(
        path,
        Map.of(
            "Content-Type",
            "application/x-www-form-urlencoded",
            "Accept",
            "application/json",
            "Accept-Encoding",
            "gzip"),
        Optional.of(form.toString().getBytes(StandardCharsets.UTF_8)),
        options);
  }

  /** Asks without a body. */
  Future<Response> get(String path, List<String> parameters, ReadOptions options) {
    StringJoiner query = new StringJoiner("&", "?", "");
    for (int i = 0; i < parameters.size(); i += 2) {
      query.add(parameters.get(i) + "=" + encoded(parameters.get(i + 1)));
    }
    return send(
        path + (parameters.isEmpty() ? "" : query),
        Map.of("Accept", "application/json", "Accept-Encoding", "gzip"),
        Optional.empty(),
        options);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /**
   * Sends a request, by POST if it has a body.
   *
   * @return fails with a {@link QueryFailure}
   */
  Future<Response> send(
      String path, Map<String, String> headers, Optional<byte[]> body, ReadOptions options) {
    if (options.cancellation().isCancelled()) {
      return Future.failedFuture(cancelled());
    }
    long millis =
        Math.max(
            1,
            Math.min(
                settings.timeout().toMillis(), (long) (SHARE_OF_TIME * options.timeoutMillis())));
    URI target = URI.create(settings.url() + path);
    WebRequest request =
        requests
            .to(body.isPresent() ? HttpMethod.POST : HttpMethod.GET, target, millis)
            .longestAnswer(settings.maxBytes());
    settings.headers().forEach(request::header);
    headers.forEach(request::header);
    body.ifPresent(request::body);
    options.cancellation().onCancel(request::giveUp);
    counts.requests.increment();
    long begin = System.nanoTime();
    return request
        .send()
        .onComplete(done -> counts.seconds.add((System.nanoTime() - begin) / 1e9))
        .compose(this::received, failure -> Future.failedFuture(failed(failure, options)))
        .onFailure(failure -> counts.errors.increment());
  }

  private static QueryFailure cancelled() {
    return new QueryFailure(
        QueryFailure.Kind.CANCELED, "query was canceled in expression evaluation");
  }

  private static QueryFailure failed(Throwable failure, ReadOptions options) {
    if (options.cancellation().isCancelled()) {
      return cancelled();
    }
    String reason =
        failure instanceof HttpFailure http ? http.reason() : String.valueOf(failure.getMessage());
    return unavailable("did not answer: " + reason);
  }

  /** A failure of the store; the text comes after its name. */
  static QueryFailure unavailable(String reason) {
    return new QueryFailure(QueryFailure.Kind.UNAVAILABLE, reason);
  }

  private Future<Response> received(HttpAnswer answer) {
    counts.bytes.add(answer.body().length());
    String type = answer.headers().get("Content-Type");
    Response response =
        new Response(
            answer.status(),
            type == null ? "" : type,
            "gzip".equals(answer.headers().get("Content-Encoding")),
            answer.body());
    return answer.status() == 200 || response.isRefusal()
        ? Future.succeededFuture(response)
        : Future.failedFuture(unavailable("responded with status " + answer.status()));
  }

  @Override
  public void close() {
    looks.close();
    requests.close();
  }
}

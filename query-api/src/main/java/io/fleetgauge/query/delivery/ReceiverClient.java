package io.fleetgauge.query.delivery;

import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.files.FilePoller;
import io.fleetgauge.runtime.http.ExternalAccess;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.HttpFailure;
import io.fleetgauge.runtime.http.WebRequest;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.runtime.process.StartFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.time.Duration;
import java.util.Map;

/** Requests to the receivers of one section of the configuration. Safe for all threads. */
public final class ReceiverClient implements AutoCloseable {
  private static final int KEEP_SECONDS = 120;

  /** Secrets are read again so often. */
  private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

  /** Bytes that are kept of a body, which only says what is wrong. */
  private static final int MAX_KEPT = 1_024;

  /** A longer body ends the connection. */
  private static final int MAX_BODY = 64 << 10;

  private final Vertx vertx;
  private final long timeoutMillis;
  private final WebRequests requests;
  private final FilePoller looks;

  /**
   * @param status of HTTP
   * @param text the beginning of the body
   */
  public record Answer(int status, String text) {}

  private ReceiverClient(Vertx vertx, String section, Duration timeout, ExternalAccess access) {
    this.vertx = vertx;
    this.timeoutMillis = timeout.toMillis();
    this.requests =
        access.requests(
            vertx,
            // For each receiver: one request is under way, and one may be on its way out.
            new HttpClients.Limits((int) timeoutMillis, KEEP_SECONDS, 2, 4));
    this.looks = FilePoller.start(vertx, "secrets of " + section, LOOK_EVERY, access::look);
  }

  /**
   * @param section of the configuration, such as {@code rules.alertmanagers.main}
   * @throws StartFailure if a file with a secret cannot be used
   */
  public static ReceiverClient open(
      Vertx vertx, String section, Duration timeout, AccessSettings access) throws StartFailure {
    return new ReceiverClient(vertx, section, timeout, ExternalAccess.open(section, access));
  }

  /**
   * Sends a body.
   *
   * @param type its content type
   * @param headers besides those of the content and of the access
   * @return fails when the whole answer is not there in time
   */
  public Future<Answer> post(URI target, String type, Map<String, String> headers, byte[] body) {
    WebRequest request = requests.to(HttpMethod.POST, target, timeoutMillis);
    headers.forEach(request::header);
    return request
        .header("Content-Type", type)
        .longestAnswer(MAX_BODY)
        .body(body)
        .send()
        .map(answer -> new Answer(answer.status(), text(answer.body())))
        .recover(
            failure ->
                failure instanceof HttpFailure http && http.kind() == HttpFailure.Kind.TOO_LONG
                    ? Future.succeededFuture(new Answer(http.status(), ""))
                    : Future.failedFuture(failure));
  }

  /** In one line. */
  private static String text(Buffer body) {
    return body.getString(0, Math.min(body.length(), MAX_KEPT), "UTF-8")
        .replaceAll("\\p{Cntrl}+", " ")
        .strip();
  }

  @Override
  public void close() {
    looks.close();
    requests.close();
  }
}

package io.fleetgauge.query.rules.notify;

import io.fleetgauge.query.config.AlertmanagerSettings;
import io.fleetgauge.runtime.files.FilePoller;
import io.fleetgauge.runtime.http.ExternalAccess;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.HttpFailure;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.runtime.process.StartFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.time.Duration;

/** Requests to the Alertmanagers of one section of the configuration. Safe for all threads. */
final class AlertmanagerClient implements AutoCloseable {
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
  record Answer(int status, String text) {}

  private AlertmanagerClient(Vertx vertx, AlertmanagerSettings settings, ExternalAccess access) {
    this.vertx = vertx;
    this.timeoutMillis = settings.timeout().toMillis();
    this.requests =
        access.requests(
            vertx,
            // For each Alertmanager: one request is under way, and one may be on its way out.
            new HttpClients.Limits((int) timeoutMillis, KEEP_SECONDS, 2, 4));
    this.looks = FilePoller.start(vertx, "secrets of " + settings.name(), LOOK_EVERY, access::look);
  }

  /**
   * @throws StartFailure if a file with a secret cannot be used
   */
  static AlertmanagerClient open(Vertx vertx, AlertmanagerSettings settings) throws StartFailure {
    return new AlertmanagerClient(
        vertx,
        settings,
        ExternalAccess.open("rules.alertmanagers." + settings.name(), settings.access()));
  }

  /**
   * Sends alerts.
   *
   * @param alertmanager with a port, and with the path below which it serves
   * @return fails when the whole answer is not there in time
   */
  Future<Answer> post(URI alertmanager, byte[] body) {
    return requests
        .to(
            HttpMethod.POST,
            alertmanager.resolve(alertmanager.getRawPath() + AlertForm.PATH),
            timeoutMillis)
        .header("Content-Type", "application/json")
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

package io.fleetgauge.query.rules.notify;

import io.fleetgauge.query.config.AlertmanagerSettings;
import io.fleetgauge.runtime.external.ExternalAccess;
import io.fleetgauge.runtime.process.StartFailure;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** Requests to the Alertmanagers of one section of the configuration. Safe for all threads. */
final class AlertmanagerClient implements AutoCloseable {
  private static final int KEEP_SECONDS = 120;

  /** Secrets are read again so often. */
  private static final long LOOK_MILLIS = 5_000;

  /** Bytes that are kept of a body, which only says what is wrong. */
  private static final int MAX_KEPT = 1_024;

  /** A longer body ends the connection. */
  private static final int MAX_BODY = 64 << 10;

  private final Vertx vertx;
  private final ExternalAccess access;
  private final long timeoutMillis;
  private final HttpClientAgent client;
  private final long looks;

  /**
   * @param status of HTTP
   * @param text the beginning of the body
   */
  record Answer(int status, String text) {}

  private AlertmanagerClient(Vertx vertx, AlertmanagerSettings settings, ExternalAccess access) {
    this.vertx = vertx;
    this.access = access;
    this.timeoutMillis = settings.timeout().toMillis();
    this.client =
        access.client(
            vertx,
            (int) timeoutMillis,
            KEEP_SECONDS,
            // For each Alertmanager: one request is under way, and one may be on its way out.
            new PoolOptions().setHttp1MaxSize(2).setMaxWaitQueueSize(4));
    this.looks =
        vertx.setPeriodic(
            LOOK_MILLIS,
            id ->
                vertx.executeBlocking(
                    () -> {
                      access.look();
                      return null;
                    },
                    false));
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
    Promise<Answer> answer = Promise.promise();
    RequestOptions options =
        access
            .request(alertmanager, alertmanager.getRawPath() + AlertForm.PATH)
            .setMethod(HttpMethod.POST)
            .setTimeout(timeoutMillis)
            .putHeader("Content-Type", "application/json");
    try {
      client
          .request(options)
          .onFailure(answer::tryFail)
          .onSuccess(request -> send(request, body, answer));
    } catch (IllegalStateException e) {
      answer.tryFail(e); // the client was closed meanwhile
    }
    return answer.future();
  }

  private void send(HttpClientRequest request, byte[] body, Promise<Answer> answer) {
    // The timeout of the request ends when the body begins.
    long timer =
        vertx.setTimer(
            timeoutMillis,
            id -> {
              answer.tryFail(
                  new IOException("the answer is not whole after " + timeoutMillis + " ms"));
              request.reset();
            });
    answer.future().onComplete(done -> vertx.cancelTimer(timer));
    request
        .send(Buffer.buffer(body))
        .onSuccess(response -> read(request, response, answer))
        .onFailure(answer::tryFail);
  }

  private static void read(
      HttpClientRequest request, HttpClientResponse response, Promise<Answer> answer) {
    Buffer kept = Buffer.buffer();
    long[] length = {0};
    response.exceptionHandler(answer::tryFail);
    response.handler(
        some -> {
          length[0] += some.length();
          int room = Math.min(some.length(), MAX_KEPT - kept.length());
          kept.appendBuffer(some, 0, room);
          if (length[0] > MAX_BODY) {
            answer.tryComplete(new Answer(response.statusCode(), text(kept)));
            request.reset();
          }
        });
    response.endHandler(end -> answer.tryComplete(new Answer(response.statusCode(), text(kept))));
  }

  /** In one line. */
  private static String text(Buffer kept) {
    return kept.toString(StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}+", " ").strip();
  }

  @Override
  public void close() {
    vertx.cancelTimer(looks);
    client.close();
  }
}

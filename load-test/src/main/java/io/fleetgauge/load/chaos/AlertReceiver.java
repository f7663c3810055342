package io.fleetgauge.load.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.net.URI;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/** Takes alerts in place of an Alertmanager, and keeps all of them in order. */
final class AlertReceiver implements AutoCloseable {
  private final HttpServer server;
  private final URI address;
  private final List<Received> received = new ArrayList<>();
  private final ObjectMapper json = new ObjectMapper();

  /**
   * An alert that came; times in ms since the epoch.
   *
   * @param signal the number in its label {@code signal}
   */
  record Received(long at, int signal, long startsAt, long endsAt) {
    boolean fires() {
      return endsAt > at;
    }
  }

  private AlertReceiver(Vertx vertx, String host) {
    server =
        vertx
            .createHttpServer()
            .requestHandler(
                request ->
                    request
                        .body()
                        .onSuccess(
                            body -> {
                              take(body.getBytes());
                              request.response().end();
                            }));
    server.listen(0, host).await();
    address = URI.create("http://" + host + ":" + server.actualPort());
  }

  static AlertReceiver start(Vertx vertx, String host) {
    return new AlertReceiver(vertx, host);
  }

  URI address() {
    return address;
  }

  private synchronized void take(byte[] body) {
    try {
      for (JsonNode alert : json.readTree(body)) {
        received.add(
            new Received(
                System.currentTimeMillis(),
                alert.path("labels").path("signal").asInt(),
                time(alert.path("startsAt")),
                time(alert.path("endsAt"))));
      }
    } catch (IOException e) {
      throw new IllegalStateException("an alert that is not JSON", e);
    }
  }

  private static long time(JsonNode text) {
    return OffsetDateTime.parse(text.asText()).toInstant().toEpochMilli();
  }

  synchronized List<Received> received() {
    return List.copyOf(received);
  }

  @Override
  public void close() {
    server.close().await();
  }
}

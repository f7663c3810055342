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

/**
 * Takes alerts in place of an Alertmanager, and what a real one tells a webhook, and keeps all of
 * them in order.
 */
final class AlertReceiver implements AutoCloseable {
  private static final String HOOK = "/hook";

  private final HttpServer server;
  private final URI address;
  private final List<Delivery> received = new ArrayList<>();
  private final List<Notification> told = new ArrayList<>();
  private final ObjectMapper json = new ObjectMapper();

  /**
   * An alert that came; times in ms since the epoch.
   *
   * @param signal the number in its label {@code signal}
   */
  record Delivery(long at, int signal, long startsAt, long endsAt) {
    boolean fires() {
      return endsAt > at;
    }
  }

  /**
   * A notification of the Alertmanager about an alert.
   *
   * @param startsAt ms since the epoch
   */
  record Notification(int signal, long startsAt, boolean fires) {}

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
                              if (request.path().equals(HOOK)) {
                                tell(body.getBytes());
                              } else {
                                take(body.getBytes());
                              }
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

  /** The configuration of an Alertmanager that tells of each alert alone, and at once. */
  String alertmanager() {
    return """
    route: {receiver: hook, group_by: ['...'], group_wait: 0s, group_interval: 1s, repeat_interval: 1h}
    receivers: [{name: hook, webhook_configs: [{url: '%s', send_resolved: true}]}]
    """
        .formatted(address.resolve(HOOK));
  }

  private synchronized void tell(byte[] body) {
    try {
      for (JsonNode alert : json.readTree(body).path("alerts")) {
        told.add(
            new Notification(
                alert.path("labels").path("signal").asInt(),
                time(alert.path("startsAt")),
                alert.path("status").asText().equals("firing")));
      }
    } catch (IOException e) {
      throw new IllegalStateException("a webhook that is not JSON", e);
    }
  }

  private synchronized void take(byte[] body) {
    try {
      for (JsonNode alert : json.readTree(body)) {
        received.add(
            new Delivery(
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

  synchronized List<Delivery> received() {
    return List.copyOf(received);
  }

  synchronized List<Notification> told() {
    return List.copyOf(told);
  }

  @Override
  public void close() {
    server.close().await();
  }
}

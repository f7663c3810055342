package io.fleetgauge.load.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** Takes what is sent to an Alertmanager, and what a real one forwards to a webhook. */
final class NotificationReceiver implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** An annotation whose template failed: each system says why in words of its own. */
  private static final Pattern FAILURE = Pattern.compile("<error expanding template: .*?>\"");

  private final HttpServer server;

  /** When each began, by its text. */
  private final Map<String, String> sent = new ConcurrentHashMap<>();

  private final Map<String, String> forwarded = new ConcurrentHashMap<>();

  /** The names of alerts, by labels and annotations. */
  private final Map<String, String> told = new ConcurrentHashMap<>();

  NotificationReceiver() throws IOException {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/api/v2/alerts",
        exchange -> {
          for (JsonNode each : JSON.readTree(exchange.getRequestBody())) {
            sent.put(
                what(each) + " " + each.path("endsAt").asText(), each.path("startsAt").asText());
            told.put(
                each.path("labels") + " " + each.path("annotations"),
                each.at("/labels/alertname").asText());
          }
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.createContext(
        "/hook",
        exchange -> {
          for (JsonNode each : JSON.readTree(exchange.getRequestBody()).path("alerts")) {
            boolean resolved = each.path("status").asText().equals("resolved");
            forwarded.put(
                each.path("status").asText()
                    + " "
                    + what(each)
                    + (resolved ? " " + each.path("endsAt").asText() : ""),
                each.path("startsAt").asText());
          }
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
  }

  private static String what(JsonNode alert) {
    String link = alert.path("generatorURL").asText();
    int path = link.indexOf("/graph");
    String annotations = alert.has("annotations") ? alert.path("annotations").toString() : "{}";
    return alert.path("labels")
        + " "
        + FAILURE.matcher(annotations).replaceAll("<error expanding template>\"")
        + " "
        + alert.path("startsAt").asText()
        + " "
        + link.substring(Math.max(0, path));
  }

  String address() {
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  /** Notifications of alerts that began after a time, ms since the epoch. */
  TreeSet<String> since(long time) {
    return since(sent, time);
  }

  /** As {@link #since}, of what an Alertmanager forwarded. */
  TreeSet<String> forwarded(long time) {
    return since(forwarded, time);
  }

  /** The labels and annotations that were ever sent of an alert. */
  TreeSet<String> told(String name) {
    TreeSet<String> texts = new TreeSet<>();
    told.forEach(
        (text, of) -> {
          if (of.equals(name)) {
            texts.add(text);
          }
        });
    return texts;
  }

  private static TreeSet<String> since(Map<String, String> alerts, long time) {
    TreeSet<String> since = new TreeSet<>();
    alerts.forEach(
        (alert, startsAt) -> {
          if (Instant.parse(startsAt).toEpochMilli() > time) {
            since.add(alert);
          }
        });
    return since;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

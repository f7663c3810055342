package io.fleetgauge.distribution.training;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/**
 * Serves texts over TLS, each at a path: in the place of Consul, of Kubernetes and of exporters.
 * Other paths are answered with an empty text.
 */
final class StandInApi implements AutoCloseable {
  private final HttpsServer server;
  private final Map<String, String> texts = new ConcurrentHashMap<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();

  StandInApi(Certificate certificate) throws IOException {
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(certificate.context()));
    server.createContext("/", this::answer);
    // A connection whose handshake was given up holds up no other.
    server.setExecutor(
        Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("api").factory()));
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      String path = exchange.getRequestURI().getPath();
      String authorization = exchange.getRequestHeaders().getFirst("Authorization");
      requests.add(
          exchange.getRequestMethod()
              + " "
              + path
              + (authorization == null ? "" : " " + authorization));
      byte[] text = texts.getOrDefault(path, "").getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
      exchange.sendResponseHeaders(200, text.length == 0 ? -1 : text.length);
      if (text.length > 0) {
        exchange.getResponseBody().write(text);
      }
    }
  }

  void put(String path, String text) {
    texts.put(path, text);
  }

  String address() {
    return "https://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Method, path and the header of whoever asks, in order. */
  List<String> requests() {
    return requests;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

package io.fleetgauge.runtime.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.process.EventLoops;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Over real sockets, with a clock that the test turns. */
@Timeout(600)
class ServerConnectionsTest {
  private static final String REQUEST = "GET /-/healthy HTTP/1.1\r\nHost: a\r\n\r\n";

  private final Vertx vertx = EventLoops.start();
  private final AtomicLong nanos = new AtomicLong(-5);
  private final ServerConnections connections = new ServerConnections(3, nanos::get);
  private final Meters meters = new Meters("test");
  private final AtomicReference<RoutingContext> slow = new AtomicReference<>();
  private HttpListener http;

  @BeforeEach
  void listen() throws StartFailure {
    Router router =
        HttpListener.router(
            vertx, new HttpListener.Readiness(), meters, () -> "", RoutingContext::next);
    router.get("/slow").handler(slow::set);
    router
        .get("/other")
        .handler(
            http ->
                http.request()
                    .toNetSocket()
                    .onSuccess(socket -> socket.handler(bytes -> socket.write(bytes))));
    http =
        HttpListener.start(
            vertx, new HttpSettings("127.0.0.1", 0), "http.port", router, connections);
    http.declare(meters);
  }

  @AfterEach
  void stop() {
    http.close();
    vertx.close().await();
  }

  private Socket connect() throws IOException {
    long before = metric("http_connections");
    Socket socket = new Socket("127.0.0.1", http.port());
    socket.setSoTimeout(120_000);
    await().until(() -> metric("http_connections") > before);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** Reads an answer up to its last line. */
  private static void readAnswer(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder text = new StringBuilder();
    while (!text.toString().endsWith("healthy\n")) {
      text.append((char) in.read());
    }
    assertThat(text.toString()).startsWith("HTTP/1.1 200 OK");
  }

  private static boolean isClosed(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true; // reset
    }
  }

  private void pass(long seconds) {
    nanos.addAndGet(seconds * 1_000_000_000);
    connections.look();
  }

  private long metric(String name) {
    return new String(meters.exposition(), StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.startsWith("test_" + name + " "))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aConnectionThatTricklesTheHeadOfItsFirstRequestIsClosedAfterThirtySeconds()
      throws Exception {
    try (Socket socket = connect()) {
      send(socket, "GET /-/healthy HTTP/1.1\r\nX: ");
      for (int second = 0; second < 30; second++) {
        send(socket, "x");
        pass(1);
      }
      assertThat(metric("http_connections")).isEqualTo(1);
      pass(1);
      assertThat(isClosed(socket)).isTrue();
      await().until(() -> metric("http_connections") == 0);
      assertThat(metric("http_connections_late_total")).isEqualTo(1);
    }
  }

  @Test
  void aConnectionHasFifteenMinutesForEachFurtherHead() throws Exception {
    try (Socket socket = connect()) {
      send(socket, REQUEST);
      readAnswer(socket);
      pass(800);
      send(socket, REQUEST);
      readAnswer(socket);
      pass(899);
      send(socket, REQUEST.substring(0, 20));
      pass(1);
      assertThat(metric("http_connections_late_total")).isZero();
      pass(1);
      assertThat(isClosed(socket)).isTrue();
    }
  }

  @Test
  void aConnectionThatGoesOnWithAnotherProtocolIsNotClosedForIt() throws Exception {
    try (Socket socket = connect()) {
      send(
          socket,
          "GET /other HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n");
      InputStream in = socket.getInputStream();
      StringBuilder head = new StringBuilder();
      while (!head.toString().endsWith("\r\n\r\n")) {
        head.append((char) in.read());
      }
      assertThat(head.toString()).startsWith("HTTP/1.1 101 ");
      pass(1_000);
      pass(1_000);
      send(socket, "x");
      assertThat(in.read()).isEqualTo('x');
      assertThat(metric("http_connections")).as("it is none of HTTP").isZero();
    }
  }

  @Test
  void aRequestThatIsBeingAnsweredHasTheTimeItTakes() throws Exception {
    try (Socket socket = connect()) {
      send(socket, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
      await().until(() -> slow.get() != null);
      pass(1_000);
      pass(1_000);
      slow.get().response().end("healthy\n");
      readAnswer(socket);
      pass(900);
      assertThat(metric("http_connections")).isEqualTo(1);
    }
  }

  @Test
  void connectionsAboveTheLimitAreClosedAtOnceAndCounted() throws Exception {
    try (Socket one = connect();
        Socket two = connect();
        Socket three = connect();
        Socket four = new Socket("127.0.0.1", http.port())) {
      assertThat(isClosed(four)).isTrue();
      assertThat(metric("http_connections_refused_total")).isEqualTo(1);
      one.shutdownOutput();
      await().until(() -> metric("http_connections") == 2);
      try (Socket five = connect()) {
        send(five, REQUEST);
        readAnswer(five);
      }
      send(two, REQUEST);
      readAnswer(two);
      assertThat(three.isClosed()).isFalse();
    }
  }
}

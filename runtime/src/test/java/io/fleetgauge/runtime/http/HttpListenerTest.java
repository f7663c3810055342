package io.fleetgauge.runtime.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.process.EventLoops;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HttpListenerTest {
  private final Vertx vertx = EventLoops.start();
  private final HttpListener.Readiness readiness = new HttpListener.Readiness();
  private final Meters meters = new Meters("test");

  @AfterEach
  void stop() {
    vertx.close().await();
  }

  @Test
  void aProcessIsHealthyAtOnceAndReadyWhenItReportsThatItIs() throws Exception {
    meters.counter("things", "Things.", () -> 1);
    try (HttpListener http = listen(0)) {
      assertThat(get(http, "/-/healthy").statusCode()).isEqualTo(200);
      assertThat(get(http, "/-/ready").statusCode()).isEqualTo(503);
      assertThat(get(http, "/-/ready").body()).isEqualTo("not ready: starting\n");
      readiness.ready();
      assertThat(get(http, "/-/ready").statusCode()).isEqualTo(200);
      readiness.notReady("leaving");
      assertThat(get(http, "/-/ready").body()).isEqualTo("not ready: leaving\n");
      assertThat(get(http, "/metrics").body())
          .startsWith("readings 1\n")
          .contains("test_things_total 1.0");
      assertThat(get(http, "/nosuch").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void aBusyPortIsAnErrorThatNamesThePortAndTheOption() throws Exception {
    try (HttpListener http = listen(0)) {
      int port = http.port();
      assertThatThrownBy(() -> listen(port))
          .isInstanceOf(StartFailure.class)
          .hasMessage("port " + port + " on 127.0.0.1 is in use; choose another with http.port");
    }
  }

  private HttpListener listen(int port) throws StartFailure {
    return HttpListener.start(
        vertx,
        new HttpSettings("127.0.0.1", port),
        "http.port",
        HttpListener.router(vertx, readiness, meters, () -> "readings 1\n", RoutingContext::next));
  }

  private static HttpResponse<String> get(HttpListener http, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + http.port() + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  /** All that is answered before the connection is closed. */
  private static String raw(HttpListener http, String request) throws Exception {
    try (Socket socket = new Socket("127.0.0.1", http.port())) {
      socket.setSoTimeout(120_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  @Test
  void aProcessIsReadyOnlyWhileNothingThatItWatchesIsWrong() throws Exception {
    try (HttpListener http = listen(0)) {
      readiness.watch(() -> trouble);
      trouble = "no gateway";
      assertThat(get(http, "/-/ready").body()).isEqualTo("not ready: starting\n");
      readiness.ready();
      assertThat(get(http, "/-/ready").body()).isEqualTo("not ready: no gateway\n");
      trouble = "";
      assertThat(get(http, "/-/ready").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void whetherReplicasAreWholeIsToldToThoseWhoAskForIt() throws Exception {
    try (HttpListener http = listen(0)) {
      readiness.watchReplicas(() -> trouble);
      trouble = "1 of 2 hosts";
      assertThat(get(http, "/-/ready?replicas=whole").body()).isEqualTo("not ready: starting\n");
      readiness.ready();
      assertThat(get(http, "/-/ready").statusCode()).isEqualTo(200);
      assertThat(get(http, "/-/ready?replicas=whole").statusCode()).isEqualTo(503);
      assertThat(get(http, "/-/ready?replicas=whole").body())
          .isEqualTo("not ready: 1 of 2 hosts\n");
      trouble = "";
      assertThat(get(http, "/-/ready?replicas=whole").statusCode()).isEqualTo(200);
      assertThat(get(http, "/-/ready?replicas=some").statusCode()).isEqualTo(400);
      assertThat(get(http, "/-/ready?replicas=some").body())
          .isEqualTo("replicas=some: the only valid value is whole\n");
    }
  }

  private volatile String trouble = "";

  @Test
  void aHeadAboveALimitGetsAnErrorThatNamesTheLimit() throws Exception {
    try (HttpListener http = listen(0)) {
      HttpResponse<String> line = get(http, "/-/healthy?" + "x".repeat(131_072));
      assertThat(line.statusCode()).isEqualTo(414);
      assertThat(line.body())
          .isEqualTo(
              "the request line has more than the 131072 bytes that are allowed; send parameters in"
                  + " a form by POST\n");
      assertThat(line.headers().firstValue("Connection")).contains("close");
      HttpResponse<String> headers =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(
                          URI.create("http://127.0.0.1:" + http.port() + "/-/healthy"))
                      .header("X-Long", "x".repeat(65_536))
                      .build(),
                  HttpResponse.BodyHandlers.ofString());
      assertThat(headers.statusCode()).isEqualTo(431);
      assertThat(headers.body())
          .isEqualTo("the headers have more than the 65536 bytes that are allowed\n");
      assertThat(raw(http, "GET / HTTP/1.1\r\nno colon\r\n\r\n"))
          .startsWith("HTTP/1.1 400 ")
          .endsWith("the request line or headers are not valid HTTP/1.1\n");
    }
  }

  @Test
  void anAddressOfAnotherMachineCannotBeBoundAndTheErrorNamesTheOption() {
    assertThatThrownBy(
            () ->
                HttpListener.start(
                    vertx, new HttpSettings("192.0.2.1", 0), "http.port", Router.router(vertx)))
        .isInstanceOf(StartFailure.class)
        .hasMessageStartingWith("port 0 on 192.0.2.1 cannot be bound: ")
        .hasMessageEndingWith("; it is chosen with http.port");
  }

  @Test
  void metricsAreServedOnlyToRequestsThatTheGuardPassesOn() throws Exception {
    Router router =
        HttpListener.router(
            vertx,
            readiness,
            meters,
            () -> "",
            denied -> denied.response().setStatusCode(401).end());
    try (HttpListener http =
        HttpListener.start(vertx, new HttpSettings("127.0.0.1", 0), "http.port", router)) {
      assertThat(get(http, "/metrics").statusCode()).isEqualTo(401);
      assertThat(get(http, "/-/healthy").statusCode()).isEqualTo(200);
    }
  }
}

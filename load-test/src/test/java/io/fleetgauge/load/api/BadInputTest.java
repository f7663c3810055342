package io.fleetgauge.load.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.load.fleet.RemoteWriteBody;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xerial.snappy.Snappy;

/** Whatever comes in, an error goes out, and others are answered meanwhile. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadInputTest {
  private static final Duration SOON = Duration.ofMinutes(10);

  private FleetAndPrometheus servers;
  private final AtomicInteger answered = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();
  private final AtomicBoolean over = new AtomicBoolean();
  private Thread others;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    servers = new FleetAndPrometheus(folder);
    servers.write(
        RemoteWriteBody.v1()
            .series(FleetAndPrometheus.gpu("up", 0, 0), System.currentTimeMillis() - 1_000, 1));
    await().atMost(Duration.ofMinutes(10)).until(this::isAnswered);
  }

  private boolean isAnswered() throws Exception {
    return servers.asker().get("/api/v1/query?query=count(up)").body().contains("\"1\"");
  }

  @BeforeEach
  void askMeanwhile() {
    over.set(false);
    answered.set(0);
    failed.set(0);
    others =
        Thread.startVirtualThread(
            () -> {
              while (!over.get()) {
                try {
                  (isAnswered() ? answered : failed).incrementAndGet();
                } catch (Exception e) {
                  failed.incrementAndGet();
                }
              }
            });
  }

  @AfterEach
  void othersWereAnsweredAllTheTime() throws Exception {
    await().atMost(SOON).until(() -> answered.get() > 0);
    over.set(true);
    others.join();
    assertThat(failed).hasValue(0);
  }

  @AfterAll
  void stop() {
    servers.close();
  }

  private int send(URI server, String path, String type, byte[] body) throws Exception {
    return servers
        .client
        .send(
            HttpRequest.newBuilder(server.resolve(path))
                .timeout(SOON)
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build(),
            HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/query",
        "/api/v1/query_range",
        "/api/v1/series",
        "/api/v1/labels",
        "/api/v1/explain",
        "/api/v1/format_query",
        "/api/v1/parse_query",
        "/api/v1/read",
        "/grafana/query",
        "/grafana/annotations"
      })
  void aBodyThatIsTooLongIsRefused(String path) throws Exception {
    try {
      assertThat(
              send(
                  servers.address(),
                  path,
                  "application/x-www-form-urlencoded",
                  ("query=" + "1".repeat(6 << 20)).getBytes(StandardCharsets.UTF_8)))
          .isEqualTo(413);
    } catch (java.io.IOException e) {
      // The connection may be closed before all was sent; then nobody reads the answer.
      assertThat(e).hasMessageNotContaining("timed out");
    }
  }

  @Test
  void tooManySelectorsAreRefused() throws Exception {
    String form = "match%5B%5D=up&".repeat(100_000);
    for (String path : List.of("/api/v1/series", "/api/v1/labels")) {
      assertThat(
              send(
                  servers.address(),
                  path,
                  "application/x-www-form-urlencoded",
                  form.getBytes(StandardCharsets.UTF_8)))
          .isEqualTo(400);
    }
    HttpResponse<String> scrape =
        servers.get(servers.address(), "/federate?" + "match%5B%5D=up&".repeat(1_010));
    assertThat(scrape.statusCode()).isEqualTo(400);
    assertThat(scrape.body()).contains("there are more than the 1000 that are allowed");
    HttpResponse<String> more =
        servers.get(servers.address(), "/federate?" + "match%5B%5D=up&".repeat(5_000));
    assertThat(more.statusCode()).isEqualTo(400);
    assertThat(more.body()).contains("the URL has more than the 1024 parameters");
    assertThat(
            servers
                .get(servers.address(), "/federate?" + "match%5B%5D=up&".repeat(20_000))
                .statusCode())
        .isEqualTo(414);
  }

  /** Says that it has 4 GiB behind it. */
  private static byte[] claimed(long size) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    long rest = size;
    while (rest > 0x7f) {
      out.write((int) (rest | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
    out.writeBytes(new byte[64]);
    return out.toByteArray();
  }

  @Test
  void bombsDoNotGoOff() throws Exception {
    byte[] zeros = Snappy.compress(new byte[300 << 20]);
    for (byte[] bomb : List.of(zeros, claimed(0xffff_ffffL), claimed(1 << 30), new byte[0])) {
      for (int i = 0; i < 3; i++) {
        int read = 0;
        try {
          read = send(servers.address(), "/api/v1/read", "application/x-protobuf", bomb);
        } catch (java.io.IOException e) {
          read = 413; // closed while it was sent
        }
        assertThat(read).isIn(400, 413);
        URI gateway = servers.fleet.gatewayAddresses().getFirst();
        assertThat(send(gateway, "/api/v1/write", "application/x-protobuf", bomb)).isIn(400, 413);
      }
    }
  }

  @Test
  void whatIsNoUtf8IsToldOrAnsweredButNeverAFailureOfOurs() throws Exception {
    for (String path :
        List.of(
            "/api/v1/query?query=%ff%fe",
            "/api/v1/query?query=up%7Ba%3D%22%ff%22%7D",
            "/api/v1/query?query=%",
            "/api/v1/query?query=%zz",
            "/api/v1/label/%ff/values",
            "/api/v1/label/%zz/values",
            "/api/v1/series?match%5B%5D=%ff",
            "/federate?match%5B%5D=%ff",
            "/api/v1/labels?start=%ff",
            "/%ff",
            "/api/v1/query?%ff=%ff&query=1",
            "/api/v1/query?query=1&time=%00")) {
      String answer = raw("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      assertThat(answer).as(path).matches("(?s)HTTP/1.1 (200|400|404) .*");
    }
    assertThat(
            send(
                servers.address(),
                "/grafana/query",
                "application/json",
                new byte[] {'{', '"', -1, '"', ':', '1', '}'}))
        .isEqualTo(400);
  }

  private String raw(String request) throws Exception {
    try (Socket socket = new Socket("127.0.0.1", servers.query.port())) {
      socket.setSoTimeout((int) SOON.toMillis());
      OutputStream out = socket.getOutputStream();
      try {
        out.write(request.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
      } catch (SocketException e) {
        // Refused before it was all read.
      }
      InputStream in = socket.getInputStream();
      ByteArrayOutputStream read = new ByteArrayOutputStream();
      try {
        in.transferTo(read);
      } catch (SocketException e) {
        // Closed by the other side; what came before counts.
      }
      return read.toString(StandardCharsets.ISO_8859_1);
    }
  }

  @Test
  void headersWithoutEndAreRefused() throws Exception {
    String many = "X-Filler: " + "a".repeat(1_000) + "\r\n";
    String answer = raw("GET /api/v1/labels HTTP/1.1\r\nHost: x\r\n" + many.repeat(2_000) + "\r\n");
    assertThat(answer).matches("(?s)HTTP/1.[01] 4\\d\\d .*|");
    String line = raw("GET /api/v1/labels?" + "a".repeat(1 << 20) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    assertThat(line).matches("(?s)HTTP/1.[01] 4\\d\\d .*|");
  }

  @Test
  void aBodyThatDoesNotComeIsGivenUp() throws Exception {
    String answer =
        rawSlow(
            "POST /api/v1/query HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\n\r\nquery=");
    assertThat(answer).startsWith("HTTP/1.1 408 ").contains("6 bytes so far");
  }

  private String rawSlow(String request) throws Exception {
    try (Socket socket = new Socket("127.0.0.1", servers.query.port())) {
      socket.setSoTimeout(120_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  @Test
  void memoryStaysAsItIs() throws Exception {
    byte[] form = ("query=" + "1+".repeat(200_000) + "1").getBytes(StandardCharsets.UTF_8);
    long before = 0;
    for (int round = 0; round < 60; round++) {
      if (round == 20) {
        before = used();
      }
      send(servers.address(), "/api/v1/query", "application/x-www-form-urlencoded", form);
      send(
          servers.address(),
          "/api/v1/series",
          "application/x-www-form-urlencoded",
          "match%5B%5D=up&".repeat(20_000).getBytes(StandardCharsets.UTF_8));
      send(servers.address(), "/api/v1/read", "application/x-protobuf", claimed(3 << 20));
    }
    assertThat(used() - before).isLessThan(128L << 20);
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}

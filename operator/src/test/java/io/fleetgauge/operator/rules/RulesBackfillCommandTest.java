package io.fleetgauge.operator.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Over real sockets: a query API with one answer, and a gateway that says how much it keeps. */
class RulesBackfillCommandTest {
  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final List<String> asked = new ArrayList<>();
  private String answer;
  private long retention = Long.MAX_VALUE / 2;
  private HttpServer server;

  @BeforeEach
  void listen() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/api/v1/query_range",
        exchange -> {
          asked.add(exchange.getRequestURI().getQuery());
          respond(exchange, 200, answer);
        });
    server.createContext(
        "/v1/backup", exchange -> respond(exchange, 200, "{\"retention\": " + retention + "}"));
    server.start();
  }

  @AfterEach
  void close() {
    server.stop(0);
  }

  private static void respond(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private int fill(String... more) throws IOException {
    Path rules = folder.resolve("rules.yaml");
    Files.writeString(
        rules,
        "groups: [{name: g, interval: 1m, rules: [{record: r, expr: sum(t), labels: {a: b}}]}]");
    String at = "http://localhost:" + server.getAddress().getPort();
    List<String> arguments =
        new ArrayList<>(List.of("backfill", "--url", at, "--gateway", at, rules.toString()));
    arguments.addAll(List.of(more));
    return new CommandLine(new RulesCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(out))
        .execute(arguments.toArray(String[]::new));
  }

  private static String matrix(String values) {
    return "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{},"
        + "\"values\":["
        + values
        + "]}]}}";
  }

  @Test
  void aStartThatTheClusterDoesNotKeepIsRefusedBeforeAnythingIsAsked() throws IOException {
    retention = 60_000;

    assertThat(fill("--start", "600", "--end", "700")).isEqualTo(1);
    assertThat(out.toString()).contains("--start 600 is before ", "store.retention");
    assertThat(asked).isEmpty();
  }

  @Test
  void anAnswerThatLacksHostsEndsTheFilling() throws IOException {
    answer =
        matrix("[600,\"1\"]").replace("\"data\"", "\"warnings\":[\"no answer of n7\"],\"data\"");

    assertThat(fill("--start", "600", "--end", "700")).isEqualTo(1);
    assertThat(out.toString()).contains("has warnings: [\"no answer of n7\"]");
  }

  @Test
  void nativeHistogramsAreRefused() throws IOException {
    answer = matrix("").replace("\"values\"", "\"histograms\"");

    assertThat(fill("--start", "600", "--end", "700")).isEqualTo(1);
    assertThat(out.toString()).contains("sum(t) has native histograms as its result");
  }

  @Test
  void theNameOfTheMetricIsNoLabelThatResultsGet() throws IOException {
    assertThat(fill("--start", "600", "--end", "700", "--label", "__name__=x")).isEqualTo(2);
    assertThat(out.toString()).contains("--label needs the name of a label");
    assertThat(asked).isEmpty();
  }
}

package io.fleetgauge.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.RemoteWriteReader;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xerial.snappy.Snappy;
import picocli.CommandLine;

/** Over real sockets: a query API with one answer, and a gateway that keeps what it is sent. */
class RulesBackfillCommandTest {
  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final List<String> asked = new ArrayList<>();
  private final List<String> written = new ArrayList<>();
  private String answer;
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
        "/api/v1/write",
        exchange -> {
          keep(Snappy.uncompress(exchange.getRequestBody().readAllBytes()));
          respond(exchange, 204, "");
        });
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

  private void keep(byte[] body) throws IOException {
    try {
      new RemoteWriteReader(RemoteWriteReader.Version.V1, body, body.length)
          .read(
              new RemoteWriteReader.Sink() {
                private String labels = "";

                @Override
                public boolean series(RemoteWriteReader reader) throws WireException {
                  try {
                    labels = "";
                    for (int i = 0; i < reader.labelCount(); i++) {
                      labels += reader.name(i) + "=" + reader.value(i) + " ";
                    }
                  } catch (CharacterCodingException e) {
                    throw new WireException(e.toString());
                  }
                  return true;
                }

                @Override
                public void sample(long time, double value) {
                  written.add(labels + time + (Staleness.isMarker(value) ? " ends" : " " + value));
                }

                @Override
                public void histogram(long time, Histogram histogram) {
                  written.add(labels + time + " " + histogram);
                }

                @Override
                public void unwanted(int samples, int histograms) {}

                @Override
                public void exemplars(int count) {}

                @Override
                public void metadata(String metric, MetricMetadata metadata) {}
              });
    } catch (WireException e) {
      throw new IOException(e);
    }
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
  void whatTheQueryApiAnswersIsWrittenUnderTheNameOfTheRule() throws IOException {
    answer = matrix("[600.5,\"1\"],[660.5,\"2.5\"],[780.5,\"NaN\"]");

    assertThat(fill("--start", "600", "--end", "1970-01-01T00:14:00Z")).as(out.toString()).isZero();

    assertThat(asked).hasSize(1);
    assertThat(asked.getFirst()).contains("query=sum(t)", "step=60");
    assertThat(written)
        .contains(
            "__name__=r a=b 600500 1.0",
            "__name__=r a=b 660500 2.5",
            "__name__=r a=b 720500 ends",
            "__name__=r a=b 780500 NaN");
    assertThat(out.toString()).contains("rules.yaml;g: 1 rules, ");
  }

  @Test
  void anAnswerThatLacksHostsEndsTheFilling() throws IOException {
    answer =
        matrix("[600,\"1\"]").replace("\"data\"", "\"warnings\":[\"no answer of n7\"],\"data\"");

    assertThat(fill("--start", "600", "--end", "700")).isEqualTo(1);
    assertThat(out.toString()).contains("has warnings: [\"no answer of n7\"]");
    assertThat(written).isEmpty();
  }

  @Test
  void nativeHistogramsAreRefused() throws IOException {
    answer = matrix("").replace("\"values\"", "\"histograms\"");

    assertThat(fill("--start", "600", "--end", "700")).isEqualTo(1);
    assertThat(out.toString()).contains("sum(t) has native histograms as its result");
  }
}

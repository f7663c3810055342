package io.fleetgauge.load.traces;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.gateway.GatewayProcess;
import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.QueryClient;
import io.fleetgauge.load.traces.Collector.ProcessSpan;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.runtime.process.EventLoops;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Traces of queries and ticks over the processes of a cluster, as a collector gets them. */
class TracesTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final Duration SOON = Duration.ofMinutes(10);

  @TempDir private Path folder;
  private final List<AutoCloseable> started = new ArrayList<>();
  private Vertx vertx;
  private Collector collector;
  private List<Integer> members;

  @BeforeEach
  void openCollector() {
    vertx = EventLoops.start();
    begin(() -> vertx.close().await(120, TimeUnit.SECONDS));
    collector = begin(new Collector(vertx));
    members = LocalPorts.free(3);
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : started.reversed()) {
      each.close();
    }
  }

  private <T extends AutoCloseable> T begin(T part) {
    started.add(part);
    return part;
  }

  private String shared(int own, String ratio) throws Exception {
    Path token = Files.writeString(folder.resolve("token"), "of-the-collector\n");
    String all =
        String.join(", ", members.stream().map(port -> "'127.0.0.1:" + port + "'").toList());
    return """
    http: {host: 127.0.0.1, port: 0}
    cluster: {name: traces-%d, port: %d, members: [%s]}
    tracing: {endpoint: '%s', ratio: %s, tokenFile: '%s'}
    """
        .formatted(members.getFirst(), members.get(own), all, collector.address(), ratio, token);
  }

  private GatewayProcess gateway(int number, String ratio) throws Exception {
    String own =
        "id: g%d\ndrainTimeout: 0s\nstore: {folder: '%s'}\n"
            .formatted(number, folder.resolve("g" + number));
    return begin(
        GatewayProcess.start(
            GatewayConfig.read("g" + number, own + shared(number, ratio)),
            System::currentTimeMillis));
  }

  private QueryProcess query(String ratio) throws Exception {
    return begin(
        QueryProcess.start(QueryConfig.read("q", shared(2, ratio)), System::currentTimeMillis));
  }

  private Uplink uplink(String host, URI gateway) {
    return begin(
        new Uplink(vertx, host, List.of(gateway), UplinkSettings.DEFAULT, Optional.empty(), 7));
  }

  private static void send(Uplink uplink, String host) {
    Tick.Builder tick = new Tick.Builder();
    tick.add(Labels.of("__name__", "up", "Hostname", host, "job", "probe"), 1);
    uplink.offer(tick.at(System.currentTimeMillis()));
    await().atMost(SOON).until(() -> uplink.unacknowledgedTicks() == 0);
  }

  private static HttpResponse<String> ask(int port, String query, String trace) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(
                  URI.create("http://127.0.0.1:" + port + "/api/v1/query?nocache=1&query=" + query))
              .header("traceparent", trace)
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  @Test
  void aQueryIsOneTraceFromTheCallerToEveryGatewayThatItReads() throws Exception {
    GatewayProcess first = gateway(0, "0");
    gateway(1, "0");
    QueryProcess query = query("0");
    List<Uplink> uplinks = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      uplinks.add(uplink("h" + i, first.address()));
      send(uplinks.get(i), "h" + i);
    }
    QueryClient client = new QueryClient(query.port());
    await().atMost(SOON).until(() -> client.values("count(up)", "job").toString().contains("8"));

    String parent = "00-" + TRACE + "-00f067aa0ba902b7-01";
    assertThat(ask(query.port(), "count%20by%20(job)%20(up)", parent).statusCode()).isEqualTo(200);

    await().atMost(SOON).until(() -> collector.spans("execute a fragment").size() >= 2);
    await().atMost(SOON).until(() -> !collector.spans("instant query").isEmpty());
    // The ratio is 0, so that only what the caller traces is traced.
    assertThat(collector.spans("instant query")).hasSize(1);
    ProcessSpan root = collector.spans("instant query").getFirst();
    assertThat(hex(root.span().getTraceId().toByteArray())).isEqualTo(TRACE);
    assertThat(hex(root.span().getParentSpanId().toByteArray())).isEqualTo("00f067aa0ba902b7");
    assertThat(root.text("db.query.text")).isEqualTo("count by (job) (up)");
    assertThat(root.number("fleetgauge.steps")).isEqualTo(1);
    assertThat(collector.spans("query queue")).allMatch(each -> each.isChildOf(root));
    List<ProcessSpan> asked = collector.spans("ask owner");
    assertThat(asked).isNotEmpty().allMatch(each -> each.isChildOf(root));
    List<ProcessSpan> executed = collector.spans("execute a fragment");
    assertThat(executed).allMatch(each -> asked.stream().anyMatch(each::isChildOf));
    assertThat(executed.stream().map(ProcessSpan::process).distinct().sorted().toList())
        .containsExactly("g0", "g1");
    assertThat(collector.authorization()).isEqualTo("Bearer of-the-collector");
  }

  @Test
  void aTickIsATraceOfTheLaneTheJournalAndTheReplica() throws Exception {
    GatewayProcess first = gateway(0, "1");
    gateway(1, "1");
    Uplink uplink = uplink("h", first.address());
    await()
        .atMost(SOON)
        .until(
            () -> {
              send(uplink, "h");
              return !collector.spans("copy to a replica").isEmpty();
            });
    ProcessSpan copy = collector.spans("copy to a replica").getFirst();
    await().atMost(SOON).until(() -> collector.spans("ingest").stream().anyMatch(copy::isChildOf));
    ProcessSpan root =
        collector.spans("ingest").stream().filter(copy::isChildOf).findFirst().orElseThrow();
    assertThat(root.text("fleetgauge.host")).isEqualTo("h");
    assertThat(root.text("fleetgauge.answer")).isEqualTo("Kept");
    for (String part : List.of("ingest queue", "decode", "write to the journal")) {
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(collector.spans(part))
                      .as(part)
                      .anyMatch(each -> each.isChildOf(root)));
    }
  }

  @Test
  void aCollectorThatTakesNothingCostsNoAnswerAndIsCounted() throws Exception {
    collector.answer(503);
    GatewayProcess gateway = gateway(0, "1");
    QueryProcess query = query("1");
    send(uplink("h", gateway.address()), "h");
    QueryClient client = new QueryClient(query.port());
    await().atMost(SOON).until(() -> client.values("count(up)", "job").toString().contains("1"));
    String failed = "fleetgauge_query_trace_spans_failed_total ";
    await().atMost(SOON).until(() -> !counter(query.port(), failed).equals("0.0"));
    assertThat(counter(query.port(), "fleetgauge_query_trace_spans_sent_total ")).isEqualTo("0.0");
    collector.answer(200);
    await()
        .atMost(SOON)
        .until(
            () -> {
              client.values("count(up)", "job");
              return !collector.spans("instant query").isEmpty();
            });
  }

  private static String counter(int port, String name) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build(),
              HttpResponse.BodyHandlers.ofString())
          .body()
          .lines()
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(name.length()))
          .findFirst()
          .orElseThrow();
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}

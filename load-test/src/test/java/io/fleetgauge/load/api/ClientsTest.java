package io.fleetgauge.load.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.PeerPrograms;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The real promtool, vmagent and vmalert, against us and against Prometheus. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClientsTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String METRIC = "DCGM_FI_DEV_GPU_TEMP";

  private final long now = System.currentTimeMillis() / 1_000 * 1_000 - 5_000;
  private final List<Process> started = new ArrayList<>();
  private Path folder;
  private FleetAndPrometheus servers;

  @BeforeAll
  void start(@TempDir Path temporary) throws Exception {
    folder = temporary;
    servers = new FleetAndPrometheus(folder);
    RemoteWriteBody body = RemoteWriteBody.v1();
    for (int host = 0; host < 6; host++) {
      for (int gpu = 0; gpu < 8; gpu++) {
        body.series(
            FleetAndPrometheus.gpu(METRIC, host, gpu),
            new long[] {now - 30_000, now - 15_000, now},
            new double[] {40 + host, 41 + host + gpu / 3.0, 42 + host + gpu / 7.0});
      }
    }
    servers.write(body);
    await()
        .atMost(SOON)
        .until(() -> servers.asker().query("count(" + METRIC + ")").toString().contains("\"48\""));
  }

  @AfterAll
  void stop() throws Exception {
    for (Process process : started) {
      process.destroy();
      process.waitFor(120, TimeUnit.SECONDS);
    }
    servers.close();
  }

  private String promtool(URI server, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(PeerPrograms.program("promtool").toString()));
    for (String argument : arguments) {
      command.add(argument.replace("SERVER", server.toString()));
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).as(output).isZero();
    return output.lines().sorted().toList().toString();
  }

  @Test
  void promtoolIsAnsweredAsByPrometheus() throws Exception {
    String at = "" + now / 1_000;
    String from = "" + (now / 1_000 - 30);
    for (List<String> command :
        List.of(
            List.of("query", "instant", "--time=" + at, "SERVER", "sum by (rack) (" + METRIC + ")"),
            List.of("query", "instant", "--time=" + at, "SERVER", "topk(3, " + METRIC + ")"),
            List.of(
                "query",
                "range",
                "--start=" + from,
                "--end=" + at,
                "--step=5s",
                "SERVER",
                "avg(" + METRIC + ")"),
            List.of("query", "series", "--match=" + METRIC + "{gpu=\"1\"}", "SERVER"),
            List.of("query", "labels", "SERVER", "rack"))) {
      String[] words = command.toArray(String[]::new);
      assertThat(promtool(servers.address(), words))
          .isEqualTo(promtool(servers.prometheus.address(), words))
          .isNotEqualTo("[]");
    }
    promtool(servers.address(), "check", "healthy", "--url=SERVER");
    promtool(servers.address(), "check", "ready", "--url=SERVER");
  }

  @Test
  void promtoolPushesMetrics() throws Exception {
    Path metrics =
        Files.writeString(
            folder.resolve("pushed.prom"), "# TYPE pushed gauge\npushed{rack=\"r9\"} 7\n");
    for (URI server :
        List.of(servers.fleet.gatewayAddresses().getFirst(), servers.prometheus.address())) {
      promtool(server, "push", "metrics", "SERVER/api/v1/write", metrics.toString());
    }
    assertThat(servers.asker().query("pushed").path("data").path("result").get(0).path("metric"))
        .isEqualTo(
            JSON.readTree(
                    servers.get(servers.prometheus.address(), "/api/v1/query?query=pushed").body())
                .path("data")
                .path("result")
                .get(0)
                .path("metric"));
  }

  /** The order of a sum is nobody's law. */
  private Set<JsonNode> results(URI server, String path) throws Exception {
    Set<JsonNode> results = new HashSet<>();
    JSON.readTree(servers.get(server, path).body())
        .path("data")
        .path("result")
        .forEach(results::add);
    return results;
  }

  private void run(String program, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(PeerPrograms.program(program).toString()));
    command.addAll(List.of(arguments));
    started.add(
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(Files.createTempFile(folder, program, ".log").toFile())
            .start());
  }

  @Test
  void vmagentWritesToUs() throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("scrape.yml"),
            """
            scrape_configs:
              - job_name: agent
                scrape_interval: 1s
                static_configs: [{targets: ["%s"], labels: {Hostname: agent-host}}]
            """
                .formatted(servers.prometheus.address().getAuthority()));
    run(
        "vmagent",
        "-promscrape.config=" + config,
        "-remoteWrite.url=" + servers.fleet.gatewayAddresses().getFirst() + "/api/v1/write",
        "-remoteWrite.tmpDataPath=" + folder.resolve("vmagent"),
        "-remoteWrite.flushInterval=500ms",
        "-httpListenAddr=127.0.0.1:" + LocalPorts.free(1).getFirst());
    await()
        .atMost(SOON)
        .until(() -> servers.asker().query("up{job=\"agent\"}").toString().contains("agent-host"));
    assertThat(servers.asker().query("count({job=\"agent\"}) > 100").path("data").path("result"))
        .isNotEmpty();
  }

  @Test
  void vmalertEvaluatesRulesAgainstUsAndWritesBack() throws Exception {
    Path rules =
        Files.writeString(
            folder.resolve("rules.yml"),
            """
            groups:
              - name: g
                interval: 1s
                rules:
                  - {record: "recorded:by_rack", expr: "avg by (rack, tenant) (%1$s)"}
                  - {alert: Hot, expr: "max by (rack) (%1$s) > 45", labels: {severity: warning}}
            """
                .formatted(METRIC));
    URI[][] both = {
      {servers.address(), servers.fleet.gatewayAddresses().getLast()},
      {servers.prometheus.address(), servers.prometheus.address()}
    };
    for (URI[] system : both) {
      run(
          "vmalert",
          "-rule=" + rules,
          "-datasource.url=" + system[0],
          "-remoteRead.url=" + system[0],
          "-remoteWrite.url=" + system[1],
          "-notifier.blackhole",
          "-evaluationInterval=1s",
          "-remoteWrite.flushInterval=500ms",
          "-httpListenAddr=127.0.0.1:" + LocalPorts.free(1).getFirst());
    }
    for (String query :
        List.of(
            "sum by (rack, tenant) (recorded:by_rack)",
            "count by (rack, alertstate, severity) (ALERTS{alertname=\"Hot\"})")) {
      String path = "/api/v1/query?query=" + FleetAndPrometheus.encoded(query) + "&time=";
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                long time = System.currentTimeMillis() / 1_000;
                assertThat(results(servers.address(), path + time))
                    .isEqualTo(results(servers.prometheus.address(), path + time))
                    .isNotEmpty();
              });
    }
  }
}

package io.fleetgauge.load.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.load.fleet.LaunchedProcess;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.QueryClient;
import io.fleetgauge.runtime.config.LocalHost;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo as a new user runs it, but for the ports. */
class DemoTest {
  private static final Pattern EXAMPLE =
      Pattern.compile("curl -s (http://localhost:\\d+)/api/v1/query --data-urlencode 'query=(.*)'");

  @TempDir Path folder;

  @Test
  void theDemoShowsAFleetAndGoesWithoutATraceAlsoWhenItIsKilled() throws Exception {
    List<String> options = options();
    try (LaunchedProcess demo = start(options)) {
      demo.awaitOutput("Try:");
      QueryClient client = new QueryClient(port(options));
      // 51 hosts are more than three gateways may own.
      assertThat(demo.output()).contains("4 gateways, 1 query API");
      assertThat(client.values("count(gpu_info)", "")).containsEntry("", 360.0);
      assertThat(client.values("count by (GPU_I_PROFILE) (gpu_allocated)", "GPU_I_PROFILE"))
          .containsEntry("3g.40gb", 80.0);
      assertThat(client.values("avg by (rack) (DCGM_FI_DEV_GPU_UTIL)", "rack")).hasSize(5);
      assertThat(client.values("count by (Hostname) (node_load1)", "Hostname"))
          .hasSize(53)
          .containsKey(LocalHost.name());
      // At one moment a tenant may have no job.
      assertThat(
              client.values(
                  "count by (tenant) (last_over_time(DCGM_FI_DEV_GPU_UTIL{tenant!=\"\"}[1h]))",
                  "tenant"))
          .hasSize(4);
      assertThat(client.values("count(count_over_time(node_load1[10m]) > 30)", ""))
          .containsEntry("", 52.0);
      for (String metric :
          List.of(
              "gpu_process_memory_bytes",
              "gpu_container_memory_bytes",
              "gpu_pod_memory_bytes",
              "used_gpu_memory")) {
        String query = "count(" + metric + "{job!=\"\"} > 0)";
        assertThat(client.values(query, "").get("")).as(metric).isGreaterThan(200.0);
      }
      // The bundled rules are evaluated without any option.
      await()
          .atMost(Duration.ofMinutes(10))
          .until(() -> !client.values("sum(rack:gpu_count:sum)", "").isEmpty());
      List<String> examples = examples(demo.output());
      assertThat(examples).hasSize(3);
      for (String query : examples) {
        assertThat(client.query(query).path("data").path("result")).as(query).isNotEmpty();
      }
      assertThat(demo.process.descendants()).isEmpty();
      demo.process.destroyForcibly();
      demo.exitCode();
    }
    try (LaunchedProcess again = start(options)) {
      again.awaitOutput("Try:");
      again.process.destroy();
      assertThat(again.exitCode()).isEqualTo(143);
      assertThat(again.output()).contains("Stopping.", "Data and log are left in");
    }
    try (var left = Files.list(folder.resolve("data"))) {
      assertThat(left.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("fleetgauge.log", "gateways", "rules", "faults.jsonl");
    }
  }

  @Test
  void aBusyPortIsAnErrorThatNamesThePortAndTheOption() throws Exception {
    List<String> options = options();
    try (ServerSocket busy = new ServerSocket(port(options), 1, InetAddress.getLoopbackAddress());
        LaunchedProcess demo = start(options)) {
      assertThat(demo.exitCode()).isEqualTo(1);
      assertThat(demo.output())
          .contains("port " + busy.getLocalPort() + " is in use; choose another with --port")
          .doesNotContain("\tat ");
    }
  }

  @Test
  void anOptionOutOfRangeIsNamedWithItsRange() throws Exception {
    try (LaunchedProcess demo = new LaunchedProcess(folder, "demo", "--hosts", "0")) {
      assertThat(demo.exitCode()).isEqualTo(1);
      assertThat(demo.output()).contains("--hosts: 0 is not allowed; allowed is 1 to 500");
    }
  }

  @Test
  void anUnknownAmountOfFaultsIsNamedWithWhatIsAllowed() throws Exception {
    try (LaunchedProcess demo = new LaunchedProcess(folder, "demo", "--faults", "all")) {
      assertThat(demo.exitCode()).isEqualTo(1);
      assertThat(demo.output())
          .contains("--faults: all is not allowed; allowed is off, some or many");
    }
  }

  private LaunchedProcess start(List<String> options) throws IOException {
    List<String> line =
        new ArrayList<>(List.of("demo", "--past", "10", "--faults", "off", "--data", "data"));
    line.addAll(options);
    return new LaunchedProcess(folder, line.toArray(String[]::new));
  }

  private static List<String> options() {
    // Gateways and members need runs of ports; far from where the system takes free ones from.
    int base = 20_000 + (int) (ProcessHandle.current().pid() % 1_000) * 10;
    List<Integer> free = LocalPorts.free(2);
    return List.of(
        "--port", "" + free.get(0),
        "--probe-port", "" + free.get(1),
        "--gateway-port", "" + base,
        "--cluster-port", "" + (base + 5));
  }

  private static int port(List<String> options) {
    return Integer.parseInt(options.get(1));
  }

  private static List<String> examples(String output) {
    List<String> queries = new ArrayList<>();
    Matcher matcher = EXAMPLE.matcher(output);
    while (matcher.find()) {
      assertThat(URI.create(matcher.group(1)).getPort()).isPositive();
      queries.add(URLDecoder.decode(matcher.group(2).replace("+", "%2B"), StandardCharsets.UTF_8));
    }
    return queries;
  }
}

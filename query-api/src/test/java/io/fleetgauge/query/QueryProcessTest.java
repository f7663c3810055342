package io.fleetgauge.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.runtime.process.StartFailure;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process by itself; with gateways it is tested in load-test. */
@Tag("slow")
class QueryProcessTest {
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(fleetgauge_query_\\w+)`");

  /** Metrics of groups of rules, once they have been evaluated, and of faults that are open. */
  private static final Pattern LATER =
      Pattern.compile("_query_(rule_(evaluation|group_(iterations|last_|rules))|faults_open)");

  @TempDir private Path folder;

  private static QueryConfig config(int port, int clusterPort) throws Exception {
    return QueryConfig.read(
        "the test",
        """
        http: {host: 127.0.0.1, port: %d}
        cluster: {name: query-process-%d, port: %d, members: ["127.0.0.1:%d"]}
        """
            .formatted(port, System.nanoTime(), clusterPort, clusterPort));
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static HttpResponse<String> get(HttpClient client, int port, String path)
      throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void withoutAGatewayItIsReadyAndQueriesFailWithRetryAfter() throws Exception {
    try (QueryProcess process =
            QueryProcess.start(config(0, freePort()), System::currentTimeMillis);
        HttpClient client = HttpClient.newHttpClient()) {
      int port = process.port();
      assertThat(get(client, port, "/-/ready").body()).isEqualTo("ready\n");
      assertThat(get(client, port, "/").body()).contains("<title>Fleetgauge</title>");
      HttpResponse<String> query = get(client, port, "/api/v1/query?query=up");
      assertThat(query.statusCode()).isEqualTo(503);
      assertThat(query.headers().firstValue("Retry-After")).isPresent();
      assertThat(query.body()).contains("\"errorType\":\"unavailable\"").contains("no gateway");
      assertThat(get(client, port, "/federate?match%5B%5D=up").statusCode()).isEqualTo(503);
      assertThat(get(client, port, "/grafana").statusCode()).isEqualTo(200);
      assertThat(get(client, port, "/metrics").body())
          .contains("fleetgauge_query_failures_total{error_type=\"unavailable\"} ");
    }
  }

  /** A metric that is removed or renamed breaks dashboards. */
  @Test
  void aProcessThatDoesAllShowsEveryMetricOfTheDocumentation() throws Exception {
    Path page = Path.of(System.getProperty("fleetgauge.root"), "docs/metrics/processes.md");
    Path members = Files.writeString(folder.resolve("members"), "['127.0.0.1:1']");
    QueryConfig config =
        QueryConfig.read(
            "the test",
            """
            http: {host: 127.0.0.1, port: 0}
            cluster:
              {name: query-process-%d, port: %d, discovery: {method: file, file: {path: '%s'}}}
            clusters: {other: {urls: ['http://127.0.0.1:1']}}
            tracing: {endpoint: 'http://127.0.0.1:1'}
            rules: {alertmanagers: {main: {urls: ['http://127.0.0.1:1']}}}
            faults: {receivers: {main: {url: 'http://127.0.0.1:1/'}}}
            report: {scheduled: {main: {url: 'http://127.0.0.1:1/'}}}
            sources: {main: {url: 'http://127.0.0.1:1'}}
            """
                .formatted(System.nanoTime(), freePort(), members));
    Set<String> documented = new TreeSet<>();
    Matcher rows = ROW.matcher(Files.readString(page));
    while (rows.find()) {
      documented.add(rows.group(1));
    }
    documented.removeIf(LATER.asPredicate());
    assertThat(documented).hasSizeGreaterThan(60);
    try (QueryProcess process = QueryProcess.start(config, System::currentTimeMillis);
        HttpClient client = HttpClient.newHttpClient()) {
      assertThat(get(client, process.port(), "/api/v1/query?query=up").statusCode()).isEqualTo(503);
      Set<String> shown = new TreeSet<>();
      get(client, process.port(), "/metrics")
          .body()
          .lines()
          .filter(line -> line.startsWith("# TYPE "))
          .forEach(line -> shown.add(line.split(" ")[2]));
      assertThat(shown).containsAll(documented);
    }
  }

  @Test
  void aTakenPortIsNamedWithItsKey() throws Exception {
    try (ServerSocket taken = new ServerSocket(0)) {
      QueryConfig config = config(taken.getLocalPort(), freePort());
      assertThatThrownBy(() -> QueryProcess.start(config, System::currentTimeMillis))
          .isInstanceOf(StartFailure.class)
          .hasMessageContaining("port " + taken.getLocalPort())
          .hasMessageContaining("http.port");
    }
  }
}

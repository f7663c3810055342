package io.fleetgauge.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.cluster.config.QueryConfig;
import io.fleetgauge.cluster.process.StartFailure;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The process by itself; with gateways it is tested in load-test. */
@Tag("slow")
class QueryProcessTest {
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
      metricsAreDeclaredOnce(get(client, port, "/metrics").body());
    }
  }

  /** Each by the class that counts it; what is removed or renamed here breaks dashboards. */
  private static void metricsAreDeclaredOnce(String exposition) {
    TreeSet<String> names = new TreeSet<>();
    exposition
        .lines()
        .filter(line -> line.startsWith("# TYPE fleetgauge_query_"))
        .forEach(line -> names.add(line.split(" ")[2].substring("fleetgauge_query_".length())));
    assertThat(names)
        .contains(
            "change_rounds_total",
            "extent_bytes",
            "extent_hits_total",
            "extent_misses_total",
            "failures_total",
            "fallbacks_total",
            "gateways",
            "hedges_total",
            "hosts",
            "hosts_moving",
            "hosts_not_whole",
            "hosts_on_two",
            "queries_joined_total",
            "queries_running",
            "queries_total",
            "queries_waiting",
            "query_seconds_total",
            "recent_bytes",
            "recent_hits_total",
            "requests_refused_total",
            "rewritten_total",
            "rollup_cells_total",
            "table_epoch",
            "tenants_failures_total");
    assertThat(exposition).contains("fleetgauge_query_failures_total{error_type=\"unavailable\"} ");
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

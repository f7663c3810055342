package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.PeerPrograms;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.config.RulesSettings;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.FailureCounts;
import io.fleetgauge.query.rules.api.RulesApi;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.TemplateCheck;
import io.fleetgauge.query.rules.source.GroupExchange;
import io.fleetgauge.query.rules.source.RuleSource;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code /api/v1/rules} answers what the real Prometheus answers for the same rule files. */
@ExtendWith(VertxExtension.class)
class RulesApiComparisonTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final List<String> QUERIES =
      List.of(
          "",
          "?type=alert",
          "?type=RECORD",
          "?type=x",
          "?type=alert&exclude_alerts=true",
          "?exclude_alerts=T",
          "?exclude_alerts=no",
          "?rule_name[]=GpuHot&rule_name[]=gpu:power:sum",
          "?rule_group[]=alerting",
          "?rule_group[]=none",
          "?rule_group[]=gpu-errors&rule_name[]=GpuLost",
          "?file[]=none",
          "?match[]=%7Bseverity%3D%22critical%22%7D",
          "?match[]=%7Bteam%3D%22gpu%22%7D&match[]=%7Bseverity%3D~%22warn.*%22%7D",
          "?match[]=%7B%7D",
          "?match[]=%7Ba%3D%22%22%7D",
          "?match[]=%7B",
          "?match[]=up%5B5m%5D",
          "?group_limit=2",
          "?group_limit=100",
          "?group_limit=0",
          "?group_limit=-1",
          "?group_limit=x",
          "?group_limit=99999999999",
          "?group_next_token=x",
          "?group_limit=1&group_next_token=x");

  @TempDir Path folder;

  private final HttpClient client = HttpClient.newHttpClient();
  private Process prometheus;
  private int prometheusPort;
  private HttpListener listener;
  private OutgoingHttp outgoing;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    // Neither evaluates a group during the test.
    Files.writeString(
        folder.resolve("a.yaml"),
        Files.readString(Path.of("src/test/rules/all-forms.yaml"))
            .replace("interval: 15s", "interval: 2h30m"));
    for (String bundled : new String[] {"faults", "gpus", "jobs", "nodes"}) {
      String file = bundled + ".yaml";
      Files.copy(Path.of("../distribution/src/main/rules/fleetgauge", file), folder.resolve(file));
    }
    Path config =
        Files.writeString(
            folder.resolve("prometheus.yml"),
            "global: {evaluation_interval: 1h}\nrule_files: ['" + folder + "/*.yaml']\n");
    prometheusPort = LocalPorts.free(1).getFirst();
    prometheus =
        new ProcessBuilder(
                PeerPrograms.program("prometheus").toString(),
                "--config.file=" + config,
                "--storage.tsdb.path=" + folder.resolve("data"),
                "--web.listen-address=127.0.0.1:" + prometheusPort)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("prometheus.log").toFile())
            .start();
    startOurs(vertx);
    await()
        .atMost(Duration.ofMinutes(10))
        .ignoreExceptions()
        .until(() -> get(prometheusPort, "/-/ready").statusCode() == 200);
    await()
        .atMost(Duration.ofMinutes(10))
        .until(() -> get(prometheusPort, "/api/v1/rules").body().contains("GpuHot"));
  }

  private void startOurs(Vertx vertx) throws Exception {
    HttpSettings http = new HttpSettings("127.0.0.1", 0);
    Guard guard =
        Guard.open(
            vertx,
            http,
            Optional.empty(),
            TrustSettings.NONE,
            TenantLimits.DEFAULT,
            Parser::selectorProblem,
            System::currentTimeMillis);
    outgoing =
        new OutgoingHttp(
            vertx, TrustSettings.NONE, guard.signer(), new HttpClients.Limits(1_000, 10, 1, 10));
    RuleSource source =
        RuleSource.open(
            RulesSettings.of(List.of(folder + "/*.yaml"), Optional.empty()),
            new RuleFileReader(ParseOptions.STOCK, TemplateCheck.TEMPLATES, 3_600_000),
            System::currentTimeMillis);
    Router router = Router.router(vertx);
    ApiRoutes routes =
        new ApiRoutes(
            router,
            guard,
            vertx.createSharedWorkerExecutor("rules-api"),
            new FailureCounts(),
            Set.of(),
            System::currentTimeMillis);
    RulesApi.mount(
        routes,
        source,
        new GroupExchange(vertx, source, PeerLink.mount(router, guard, vertx, outgoing)),
        () -> Future.succeededFuture(Map.of()),
        List::of);
    listener = HttpListener.start(vertx, http, "http.port", router);
  }

  @AfterEach
  void stop() throws Exception {
    prometheus.destroyForcibly().waitFor();
    listener.close();
    outgoing.close();
    client.close();
  }

  private HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode answer(int port, String path) throws Exception {
    HttpResponse<String> response = get(port, path);
    ObjectNode answer = (ObjectNode) JSON.readTree(response.body());
    return answer.put("httpStatus", response.statusCode());
  }

  @Test
  void answersAreThoseOfPrometheus() throws Exception {
    for (String query : QUERIES) {
      String path = "/api/v1/rules" + query;
      assertThat(answer(listener.port(), path).toString())
          .as(path)
          .isEqualTo(answer(prometheusPort, path).toString());
    }
    assertThat(answer(listener.port(), "/api/v1/alerts"))
        .isEqualTo(answer(prometheusPort, "/api/v1/alerts"));
    String token = "";
    int pages = 0;
    do {
      String path =
          "/api/v1/rules?group_limit=1" + (token.isEmpty() ? "" : "&group_next_token=" + token);
      JsonNode page = answer(listener.port(), path);
      assertThat(page).isEqualTo(answer(prometheusPort, path));
      token = page.path("data").path("groupNextToken").asText();
      pages++;
    } while (!token.isEmpty());
    assertThat(pages).isGreaterThan(5);
  }
}

package io.fleetgauge.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.cluster.member.ClusterMember;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.promql.fragment.ExtentsQuestion;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The rules of a query API that has a gateway, which never answers. */
@Tag("slow")
@ExtendWith(VertxExtension.class)
class RulesPartTest {
  @TempDir private Path folder;
  private final List<AutoCloseable> started = new ArrayList<>();
  private final List<Fragment> asked = new CopyOnWriteArrayList<>();
  private HttpClient client;
  private QueryProcess process;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    client = vertx.createHttpClient();
    int http =
        vertx
            .createHttpServer()
            .requestHandler(request -> request.body().onSuccess(this::take))
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS)
            .actualPort();
    int port = freePort();
    String seed = "127.0.0.1:" + port;
    ClusterMember gateway =
        ClusterMember.join(
            new ClusterSettings("rules-" + port, "127.0.0.1", port, List.of(seed), 1),
            Optional.of(
                new ClusterMember.Gateway(
                    "g1", URI.create("http://127.0.0.1:" + http), "", folder.resolve("table"))),
            ClusterKey.NONE);
    started.add(gateway);
    gateway.register("n1", Admission.UNKNOWN);
    gateway.activate();
    await().until(() -> gateway.view().table().hosts().size() == 1);
    QueryConfig config =
        QueryConfig.read(
            "the test",
            """
            http: {host: 127.0.0.1, port: 0}
            cluster: {name: rules-%d, host: 127.0.0.1, port: 0, members: ["%s"]}
            query: {maxConcurrent: 1, maxParallel: 1}
            rules: {bundled: false, folder: '%s'}
            """
                .formatted(port, seed, folder.resolve("rules")));
    process = QueryProcess.start(config, System::currentTimeMillis);
    started.add(process);
    await().until(() -> process.view().table().hosts().size() == 1);
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : started.reversed()) {
      each.close();
    }
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void take(Buffer body) {
    try {
      asked.add(FragmentCodec.decode(body.getBytes()));
    } catch (WireException e) {
      // It is no fragment.
    }
  }

  /** Tells whether samples of a metric were asked for, and not only their number. */
  private boolean isAsked(String metric) {
    return asked.stream()
        .anyMatch(
            fragment ->
                !(fragment.question() instanceof ExtentsQuestion)
                    && fragment.toString().contains(metric));
  }

  private HttpClientResponse send(HttpMethod method, String path, String body) throws Exception {
    return client
        .request(method, process.port(), "127.0.0.1", path)
        .compose(request -> request.send(body).compose(response -> response.body().map(response)))
        .await(120, TimeUnit.SECONDS);
  }

  private String get(String path) throws Exception {
    return send(HttpMethod.GET, path, "").body().result().toString();
  }

  private void set(String expression) throws Exception {
    String group =
        "{name: g, interval: 1s, rules: [{record: r, expr: '%s'}]}".formatted(expression);
    assertThat(send(HttpMethod.POST, "/config/v1/rules/ns", group).statusCode()).isEqualTo(202);
  }

  private Future<HttpClientRequest> dashboard(String metric) {
    return client
        .request(HttpMethod.GET, process.port(), "127.0.0.1", "/api/v1/query?query=" + metric)
        .compose(request -> request.end().map(request));
  }

  private void awaitOwned(int groups) {
    await().until(() -> get("/metrics").contains("_rule_groups_owned " + groups + ".0"));
  }

  @Test
  void aGroupIsRunFromWhenItIsSetUntilItIsDeleted() throws Exception {
    awaitOwned(0);
    set("sum(of_a_rule)");
    awaitOwned(1);
    await().until(() -> isAsked("of_a_rule"));
    send(HttpMethod.DELETE, "/config/v1/rules/ns/g", "");
    awaitOwned(0);
  }

  @Test
  void rulesAndDashboardsDoNotTakeEachOthersPlaces() throws Exception {
    HttpClientRequest first = dashboard("of_a_dashboard").await(120, TimeUnit.SECONDS);
    await().until(() -> isAsked("of_a_dashboard"));
    HttpClientResponse second = send(HttpMethod.GET, "/api/v1/query?query=another", "");
    assertThat(second.statusCode()).isEqualTo(503);
    assertThat(second.body().result().toString()).contains("query.maxConcurrent is 1");
    set("sum(of_a_rule)");
    await().until(() -> isAsked("of_a_rule"));
    first.reset();
    await().until(() -> get("/metrics").contains("fleetgauge_query_queries_running 0.0"));
    dashboard("of_the_next_one");
    await().until(() -> isAsked("of_the_next_one"));
  }

  /** The cluster, as the query API sees it. */
  @Test
  void whoeverAsksForTheStateOfTheClusterLearnsSinceWhenTheTableIsKnown() throws Exception {
    JsonObject cluster =
        new JsonObject(get("/api/v1/status/cluster"))
            .getJsonObject("data")
            .getJsonObject("cluster");
    assertThat(cluster.getLong("tableAgeMillis")).isNotNegative();
  }
}

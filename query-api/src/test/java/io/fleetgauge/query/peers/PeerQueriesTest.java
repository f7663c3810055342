package io.fleetgauge.query.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.cluster.member.ClusterMember;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Query APIs in one cluster with a gateway that never answers, so that queries go on. */
@ExtendWith(VertxExtension.class)
class PeerQueriesTest {
  private static final Duration SOON = Duration.ofMinutes(10);

  @TempDir private Path folder;
  private final List<AutoCloseable> started = new ArrayList<>();
  private final AtomicInteger asked = new AtomicInteger();
  private String seed;
  private HttpClient client;

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : started.reversed()) {
      each.close();
    }
  }

  private void startGateway(Vertx vertx) throws Exception {
    client = vertx.createHttpClient();
    int http =
        vertx
            .createHttpServer()
            .requestHandler(request -> asked.incrementAndGet())
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS)
            .actualPort();
    int port = freePort();
    seed = "127.0.0.1:" + port;
    ClusterMember gateway =
        ClusterMember.join(
            new ClusterSettings("processes-" + port, "127.0.0.1", port, List.of(seed), 1),
            Optional.of(
                new ClusterMember.Gateway(
                    "g1", URI.create("http://127.0.0.1:" + http), "", folder.resolve("table"))),
            ClusterKey.NONE);
    started.add(gateway);
    gateway.register("host-1", Admission.UNKNOWN);
    gateway.activate();
    await().atMost(SOON).until(() -> gateway.view().table().hosts().size() == 1);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private QueryProcess start() throws StartFailure {
    String name = "processes-" + seed.substring(seed.indexOf(':') + 1);
    QueryConfig config =
        QueryConfig.defaults(
            new HttpSettings("127.0.0.1", 0),
            new ClusterSettings(name, "127.0.0.1", 0, List.of(seed), 1),
            Set.of(),
            new LogSettings(LogSettings.Format.TEXT, LogSettings.Level.WARN));
    QueryProcess process = QueryProcess.start(config, System::currentTimeMillis);
    started.add(process);
    return process;
  }

  private Future<HttpClientResponse> send(QueryProcess to, HttpMethod method, String path) {
    return client
        .request(method, to.port(), "127.0.0.1", path)
        .compose(request -> request.send().compose(response -> response.body().map(response)));
  }

  private JsonArray running(QueryProcess api) throws Exception {
    HttpClientResponse listed =
        send(api, HttpMethod.GET, "/api/v1/status/queries").await(120, TimeUnit.SECONDS);
    return new JsonObject(listed.body().result()).getJsonArray("data");
  }

  @Test
  void aQueryThatAnotherQueryApiRunsIsListedAndCancelled(Vertx vertx) throws Exception {
    startGateway(vertx);
    QueryProcess first = start();
    QueryProcess second = start();
    Future<HttpClientResponse> answer =
        send(first, HttpMethod.GET, "/api/v1/query?query=up%7Bcase=%221%22%7D");
    await().atMost(SOON).until(() -> running(second).size() == 1);
    JsonObject query = running(second).getJsonObject(0);
    assertThat(query.getString("query")).isEqualTo("up{case=\"1\"}");
    assertThat(answer.isComplete()).isFalse();
    HttpClientResponse unknown =
        send(second, HttpMethod.POST, "/api/v1/status/queries/1/cancel")
            .await(120, TimeUnit.SECONDS);
    assertThat(unknown.statusCode()).isEqualTo(400);
    HttpClientResponse cancelled =
        send(second, HttpMethod.POST, "/api/v1/status/queries/" + query.getLong("id") + "/cancel")
            .await(120, TimeUnit.SECONDS);
    assertThat(cancelled.statusCode()).isEqualTo(200);
    assertThat(answer.await(120, TimeUnit.SECONDS).statusCode()).isEqualTo(499);
    await().atMost(SOON).until(() -> running(second).isEmpty());
  }
}

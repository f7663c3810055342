package io.fleetgauge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.peer.PeerClient;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.AllowForwardHeaders;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Two gateways with samples of host n1, which g1 owns. */
@ExtendWith(VertxExtension.class)
class RemovalRouteTest {
  private static final long NOW = 1_700_000_000_000L;
  private static final long SILENT = NOW - RemovalRoute.SENDING_MILLIS;

  @TempDir private Path folder;
  private final Queue<String> removed = new ConcurrentLinkedQueue<>();
  private final Map<String, URI> present = new ConcurrentHashMap<>();
  private final Map<String, HostWriter> writers = new TreeMap<>();
  private final Map<String, String> owners = new TreeMap<>(Map.of("n1", "g1"));
  private final HttpClient client = HttpClient.newHttpClient();
  private OutgoingHttp http;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    http = new OutgoingHttp(vertx, TrustSettings.NONE, RequestSigner.NONE, PeerClient.HTTP_LIMITS);
    for (String id : new String[] {"g1", "g2"}) {
      serve(vertx, id);
    }
  }

  @AfterEach
  void close() {
    client.close();
    http.close();
  }

  private void serve(Vertx vertx, String id) throws Exception {
    HostWriter writer = new HostWriter(folder.resolve(id), "n1");
    writers.put(id, writer);
    Guard guard =
        Guard.open(
            vertx,
            new HttpSettings("127.0.0.1", 0),
            Optional.empty(),
            TrustSettings.NONE,
            TenantLimits.DEFAULT,
            scope -> "",
            () -> NOW);
    Router router = Router.router(vertx);
    // As if a proxy told where requests come from.
    router.allowForward(AllowForwardHeaders.X_FORWARD);
    new RemovalRoute(
            () -> new ClusterView(OwnershipTable.ofOwners(7, owners), present, false),
            writer.store(),
            http,
            host -> removed.add(id + " " + host),
            () -> NOW)
        .mount(router, guard);
    int port =
        vertx
            .createHttpServer()
            .requestHandler(router)
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS)
            .actualPort();
    present.put(id, URI.create("http://127.0.0.1:" + port));
  }

  private void has(String gateway, long time) {
    HostWriter writer = writers.get(gateway);
    writer.send(time, writer.series("power"), 1);
  }

  private HttpResponse<String> ask(String method, String path, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(present.get("g1").resolve("/v1/hosts/" + path))
            .method(method, HttpRequest.BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void aHostWhoseNewestSampleOnAnyGatewayIsFiveMinutesOldIsRemoved() throws Exception {
    has("g1", SILENT - 60_000);
    has("g2", SILENT);
    JsonObject found = new JsonObject(ask("GET", "n1/removal").body());
    assertThat(found.getString("owner")).isEqualTo("g1");
    assertThat(found.getJsonObject("gateways").getJsonObject("g2"))
        .isEqualTo(new JsonObject().put("series", 1).put("blocks", 0).put("newest", SILENT));
    assertThat(found.getJsonArray("away")).isEmpty();
    assertThat(removed).as("it was only looked at").isEmpty();

    assertThat(ask("POST", "n1/removal").statusCode()).isEqualTo(202);
    assertThat(removed).containsExactly("g1 n1");
  }

  @Test
  void aHostThatStillSendsToAnyGatewayIsRemovedByForceOnly() throws Exception {
    has("g1", SILENT - 60_000);
    has("g2", SILENT + 1);
    HttpResponse<String> refused = ask("POST", "n1/removal");
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.body()).contains("host n1 is still sending", "--force");
    assertThat(ask("POST", "n1/removal?force=0").statusCode()).isEqualTo(409);
    assertThat(removed).isEmpty();
    assertThat(ask("POST", "n1/removal?force=1").statusCode()).isEqualTo(202);
    assertThat(removed).containsExactly("g1 n1");
  }

  @Test
  void aHostIsKnownWhereverSomethingOfItIs() throws Exception {
    owners.clear();
    assertThat(ask("GET", "n1/removal").statusCode()).isEqualTo(404);
    assertThat(ask("POST", "n1/removal?force=1").statusCode()).isEqualTo(404);
    assertThat(removed).isEmpty();
    has("g2", SILENT);
    assertThat(ask("GET", "n1/removal").statusCode()).isEqualTo(200);
    assertThat(ask("POST", "n1/removal").statusCode()).isEqualTo(202);
    owners.put("n2", "g2");
    assertThat(ask("POST", "n2/removal").statusCode()).as("without samples").isEqualTo(202);
    assertThat(removed).containsExactly("g1 n1", "g1 n2");
  }

  @Test
  void gatewaysThatCannotBeAskedAreNamedAndTheHostIsRemoved() throws Exception {
    has("g1", SILENT);
    present.put("g3", URI.create("http://127.0.0.1:1"));
    owners.put("n2", "g4");
    HttpResponse<String> answer = ask("POST", "n1/removal");
    assertThat(answer.statusCode()).isEqualTo(202);
    assertThat(new JsonObject(answer.body()).getJsonArray("away"))
        .isEqualTo(new JsonArray().add("g3").add("g4"));
    assertThat(removed).containsExactly("g1 n1");
  }

  @Test
  void onlyFromItsOwnMachineAndByNoBrowserAHostIsRemoved() throws Exception {
    has("g1", SILENT);
    for (String[] headers :
        new String[][] {
          {"X-Forwarded-For", "192.0.2.1"},
          {"X-Forwarded-For", "2001:db8::1"},
          {"Origin", "http://127.0.0.1:9500"}
        }) {
      assertThat(ask("POST", "n1/removal?force=1", headers).statusCode())
          .as(headers[1])
          .isEqualTo(403);
    }
    assertThat(removed).isEmpty();
    assertThat(ask("GET", "n1/removal", "X-Forwarded-For", "192.0.2.1").statusCode())
        .as("to look is allowed")
        .isEqualTo(200);
  }
}

package io.fleetgauge.cluster.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AllGatewaysTest {
  private static final HttpClients.Limits LIMITS = new HttpClients.Limits(10_000, 60, 8, 8);

  private final Vertx vertx = Vertx.vertx();
  private final Map<String, URI> present = new LinkedHashMap<>();
  private WebRequests requests;

  @BeforeEach
  void start() {
    RequestSigner signer = new RequestSigner(ClusterKey.of(List::of), System::currentTimeMillis);
    requests =
        WebRequests.toCluster(vertx, TrustSettings.ofSecret(Optional.empty()), signer, LIMITS);
  }

  @AfterEach
  void close() throws Exception {
    requests.close();
    vertx.close().await(10, TimeUnit.MINUTES);
  }

  private void gateway(String id, int status, String body) throws Exception {
    int port =
        vertx
            .createHttpServer()
            .requestHandler(
                request ->
                    request
                        .response()
                        .setStatusCode(request.uri().equals("/v1/status") ? status : 404)
                        .end(body))
            .listen(0, "127.0.0.1")
            .await(10, TimeUnit.MINUTES)
            .actualPort();
    present.put(id, URI.create("http://127.0.0.1:" + port));
  }

  private AllGateways.Answers ask() throws Exception {
    ClusterView view = new ClusterView(OwnershipTable.ofOwners(7, Map.of()), present, false);
    return new AllGateways(() -> view, requests).ask("/v1/status").await(10, TimeUnit.MINUTES);
  }

  @Test
  void aGatewayWithoutAnAnswerIsNamedWithItsReasonBesideTheAnswersOfTheOthers() throws Exception {
    gateway("g1", 200, "{\"id\": \"g1\"}");
    gateway("g2", 403, "no permission\n");
    gateway("g3", 200, "no object");
    present.put("g4", URI.create("http://127.0.0.1:1"));
    AllGateways.Answers answers = ask();
    assertThat(answers.of().gateways()).isEqualTo(present);
    assertThat(answers.answers()).containsOnly(Map.entry("g1", new JsonObject().put("id", "g1")));
    assertThat(answers.silent()).containsOnlyKeys("g2", "g3", "g4");
    assertThat(answers.silent().get("g2")).isEqualTo("status 403: no permission");
    assertThat(answers.silent().get("g3")).contains("JSON");
    assertThat(answers.silent().get("g4")).contains("http://127.0.0.1:1");
  }

  @Test
  void withoutGatewaysThereIsAnAnswerOfNobody() throws Exception {
    AllGateways.Answers answers = ask();
    assertThat(answers.answers()).isEmpty();
    assertThat(answers.silent()).isEmpty();
  }
}

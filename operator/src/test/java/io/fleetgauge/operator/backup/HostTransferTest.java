package io.fleetgauge.operator.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.operator.client.GatewayClient;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** To whom samples of a host are sent, and in which order. */
class HostTransferTest {
  private static final String HOST = "n1";

  private final Vertx vertx = Vertx.vertx();
  private final List<URI> gateways = new ArrayList<>();

  /** Requests to the gateways, as {@code GATEWAY METHOD URI}, and their bodies. */
  private final List<String> events = Collections.synchronizedList(new ArrayList<>());

  /**
   * Owners of the host, one for each time that a gateway is asked; -1 for none yet. The last stays.
   */
  private final Queue<Integer> owners = new ArrayDeque<>();

  private int endStatus = 200;
  private GatewayClient client;
  private HostTransfer transfer;

  @BeforeEach
  void start() throws Exception {
    for (int i = 0; i < 3; i++) {
      String name = "g" + i;
      int port =
          vertx
              .createHttpServer()
              .requestHandler(request -> answer(name, request))
              .listen(0, "127.0.0.1")
              .await(120, TimeUnit.SECONDS)
              .actualPort();
      gateways.add(URI.create("http://127.0.0.1:" + port));
    }
    client = new GatewayClient(TrustSettings.ofSecret(Optional.empty()));
    transfer = new HostTransfer(client);
  }

  @AfterEach
  void close() throws Exception {
    client.close();
    vertx.close().await(120, TimeUnit.SECONDS);
  }

  private void answer(String gateway, HttpServerRequest request) {
    events.add(gateway + " " + request.method() + " " + request.uri());
    if (request.uri().endsWith("/end")) {
      request.response().setStatusCode(endStatus).end("{}");
      return;
    }
    int owner = owners.size() > 1 ? owners.remove() : owners.element();
    if (owner < 0) {
      request.response().setStatusCode(202).end("{}");
      return;
    }
    JsonObject holders = new JsonObject();
    for (int i = 0; i < gateways.size(); i++) {
      holders.put("g" + i, gateways.get(i).toString());
    }
    request
        .response()
        .end(new JsonObject().put("owner", "g" + owner).put("holders", holders).encode());
  }

  private void send(int movedTimes) throws Exception {
    int[] left = {movedTimes};
    transfer.send(
        gateways.getFirst(),
        HOST,
        "a b",
        77,
        (holder, isOwner) -> {
          events.add("send to g" + gateways.indexOf(holder) + (isOwner ? " as owner" : ""));
          if (isOwner && left[0]-- > 0) {
            throw new HostTransfer.OwnerChange("gateway g0 does not own host n1 (any more)");
          }
        });
  }

  /** Its replicas fetch what is in its memory, and only what their blocks do not have. */
  @Test
  void eachReplicaHasAllOfItBeforeTheOwnerHasIt() throws Exception {
    for (int owner = 0; owner < 3; owner++) {
      events.clear();
      owners.clear();
      owners.add(owner);
      send(0);
      List<Integer> replicas = new ArrayList<>(List.of(0, 1, 2));
      replicas.remove((Integer) owner);
      assertThat(events)
          .containsExactly(
              "g0 POST /v1/restore/hosts/n1?tenant=a+b&admitted=77",
              "send to g" + replicas.get(0),
              "send to g" + replicas.get(1),
              "send to g" + owner + " as owner",
              "g" + owner + " POST /v1/restore/hosts/n1/end");
    }
  }

  @Test
  void aHostThatTheClusterDoesNotKnowIsSentWhenItHasAnOwner() throws Exception {
    owners.addAll(List.of(-1, -1, 2));
    send(0);
    assertThat(events.subList(0, 4))
        .containsExactly(
            "g0 POST /v1/restore/hosts/n1?tenant=a+b&admitted=77",
            "g0 POST /v1/restore/hosts/n1?tenant=a+b&admitted=77",
            "g0 POST /v1/restore/hosts/n1?tenant=a+b&admitted=77",
            "send to g0");
  }

  @Test
  void whenTheOwnerChangesAllIsSentAgainToThoseThatHoldTheHostNow() throws Exception {
    owners.addAll(List.of(0, 1));
    send(1);
    assertThat(events)
        .containsExactly(
            "g0 POST /v1/restore/hosts/n1?tenant=a+b&admitted=77",
            "send to g1",
            "send to g2",
            "send to g0 as owner",
            "g0 POST /v1/restore/hosts/n1?tenant=a+b&admitted=77",
            "send to g0",
            "send to g2",
            "send to g1 as owner",
            "g1 POST /v1/restore/hosts/n1/end");
  }

  @Test
  void anOwnerThatIsNoneAtTheEndIsSentToAgain() throws Exception {
    owners.add(0);
    endStatus = 409;
    assertThatThrownBy(() -> send(0))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("samples of host n1 cannot be sent");
    assertThat(events).filteredOn(each -> each.equals("send to g0 as owner")).hasSize(5);
  }

  @Test
  void aGatewayThatFailsEndsTheTransferWithItsReason() {
    owners.add(0);
    endStatus = 500;
    assertThatThrownBy(() -> send(0))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("does not accept host n1: status 500");
    assertThat(events).filteredOn(each -> each.endsWith("as owner")).hasSize(1);
  }
}

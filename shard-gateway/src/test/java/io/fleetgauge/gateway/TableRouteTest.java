package io.fleetgauge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.junit5.Timeout;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
@Timeout(120_000)
class TableRouteTest {
  private final AtomicReference<ClusterView> view = new AtomicReference<>(ClusterView.EMPTY);
  private int port;

  @BeforeEach
  void serve(Vertx vertx, VertxTestContext test) {
    Router router = Router.router(vertx);
    TableRoute.mount(router, RoutingContext::next, view::get);
    vertx
        .createHttpServer()
        .requestHandler(router)
        .listen(0, "127.0.0.1")
        .onComplete(
            test.succeeding(
                server -> {
                  port = server.actualPort();
                  test.completeNow();
                }));
  }

  private void get(Vertx vertx, VertxTestContext test, Consumer<JsonObject> check) {
    vertx
        .createHttpClient()
        .request(HttpMethod.GET, port, "127.0.0.1", "/v1/table")
        .compose(request -> request.send().compose(response -> response.body().map(response)))
        .onComplete(
            test.succeeding(
                response ->
                    test.verify(
                        () -> {
                          assertThat(response.getHeader("Content-Type"))
                              .isEqualTo("application/json");
                          check.accept(new JsonObject(response.body().result()));
                          test.completeNow();
                        })));
  }

  @Test
  void aGatewayThatHasNotJoinedHasAnEmptyTable(Vertx vertx, VertxTestContext test) {
    get(
        vertx,
        test,
        table -> {
          assertThat(table.getJsonObject("hosts")).isEmpty();
          assertThat(table.getJsonArray("present")).isEmpty();
          assertThat(table.getLong("epoch")).isNotNull();
        });
  }

  @Test
  void everyHostHasItsOwner(Vertx vertx, VertxTestContext test) {
    view.set(
        new ClusterView(
            OwnershipTable.ofOwners(7, Map.of("n1", "g1", "n2", "g2")),
            Map.of("g1", URI.create("http://g1:9500")),
            true));
    get(
        vertx,
        test,
        table -> {
          assertThat(table.getString("generation")).isEqualTo("1");
          assertThat(table.getLong("epoch")).isEqualTo(7);
          assertThat(table.getBoolean("minority")).isTrue();
          assertThat(table.getJsonArray("present")).isEqualTo(new JsonArray().add("g1"));
          JsonObject n1 = table.getJsonObject("hosts").getJsonObject("n1");
          assertThat(n1.getString("owner")).isEqualTo("g1");
          assertThat(n1.getJsonObject("copies")).isEmpty();
          assertThat(n1.getJsonArray("behind")).isEmpty();
          assertThat(n1.containsKey("next")).isFalse();
          assertThat(table.getJsonObject("hosts").getJsonObject("n2").getString("owner"))
              .isEqualTo("g2");
        });
  }
}

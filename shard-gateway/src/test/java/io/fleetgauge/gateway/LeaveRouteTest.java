package io.fleetgauge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.runtime.tenant.Permission;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.AllowForwardHeaders;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class LeaveRouteTest {
  private static final String SECRET = "a-secret-of-16-or-more";

  private final AtomicInteger left = new AtomicInteger();
  private URI gateway;

  private void serve(Vertx vertx, Optional<Path> secret) throws Exception {
    Guard guard =
        Guard.open(
            vertx,
            new HttpSettings("127.0.0.1", 0),
            Optional.empty(),
            TrustSettings.ofSecret(secret),
            TenantLimits.DEFAULT,
            scope -> "",
            System::currentTimeMillis);
    Router router = Router.router(vertx);
    // As if a proxy told where requests come from.
    router.allowForward(AllowForwardHeaders.X_FORWARD);
    LeaveRoute.mount(router, guard.needsNewProofOr(Permission.OPERATE), left::incrementAndGet);
    int port =
        vertx
            .createHttpServer()
            .requestHandler(router)
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS)
            .actualPort();
    gateway = URI.create("http://127.0.0.1:" + port);
  }

  private HttpResponse<String> post(String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(gateway.resolve(LeaveRoute.PATH))
            .POST(HttpRequest.BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  private int postSigned(Vertx vertx, String secret) throws Exception {
    RequestSigner signer =
        new RequestSigner(ClusterKey.of(() -> List.of(secret)), System::currentTimeMillis);
    try (WebRequests requests =
        WebRequests.toCluster(
            vertx, TrustSettings.NONE, signer, new HttpClients.Limits(10_000, 60, 1, 10))) {
      return requests
          .to(HttpMethod.POST, gateway.resolve(LeaveRoute.PATH), 10_000)
          .send()
          .await(120, TimeUnit.SECONDS)
          .status();
    }
  }

  @Test
  void withASecretOnlyAProcessThatHasItMakesAGatewayLeave(Vertx vertx, @TempDir Path folder)
      throws Exception {
    serve(vertx, Optional.of(Files.writeString(folder.resolve("secret"), SECRET)));
    assertThat(post().statusCode()).isEqualTo(401);
    assertThat(post("Authorization", "Bearer " + SECRET).statusCode()).isEqualTo(401);
    assertThat(post("X-Fleetgauge-Secret", SECRET).statusCode()).isEqualTo(401);
    assertThat(postSigned(vertx, SECRET + "x")).isEqualTo(401);
    assertThat(left).hasValue(0);
    assertThat(postSigned(vertx, SECRET)).isEqualTo(202);
    Awaitility.await().until(() -> left.get() == 1);
  }

  @Test
  void withoutASecretAPageInABrowserCannotMakeAGatewayLeave(Vertx vertx) throws Exception {
    serve(vertx, Optional.empty());
    for (String[] header :
        new String[][] {
          {"Origin", "http://127.0.0.1:9500"},
          {"Origin", "null"},
          {"Sec-Fetch-Site", "same-origin"},
          {"Sec-Fetch-Site", "cross-site"},
          {"Referer", "http://somewhere.example/"},
          {"Content-Type", "application/x-www-form-urlencoded"}
        }) {
      HttpResponse<String> refused = post(header);
      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(refused.body())
          .isEqualTo(
              "the request has the header "
                  + header[0]
                  + ", which browsers send; use fleetgauge gateway --drain\n");
    }
    assertThat(left).hasValue(0);
    assertThat(post().statusCode()).isEqualTo(202);
    Awaitility.await().until(() -> left.get() == 1);
  }

  @Test
  void fromAnotherMachineNobodyMakesAGatewayLeave(Vertx vertx) throws Exception {
    serve(vertx, Optional.empty());
    for (String from : List.of("192.0.2.1", "2001:db8::1")) {
      HttpResponse<String> refused = post("X-Forwarded-For", from);
      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(refused.body()).contains("from the machine of the gateway only");
    }
    assertThat(left).hasValue(0);
    assertThat(post("X-Forwarded-For", "127.0.0.1").statusCode()).isEqualTo(202);
    Awaitility.await().until(() -> left.get() == 1);
  }
}

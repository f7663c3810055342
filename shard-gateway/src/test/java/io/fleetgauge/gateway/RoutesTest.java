package io.fleetgauge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.runtime.http.MountedRoutes;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The guard of each route that is mounted. A route that is in no list here is for the cluster's own
 * processes.
 */
class RoutesTest {
  private static final Set<String> OPEN = Set.of("GET /-/healthy", "GET /-/ready");

  /** Operators and processes of the cluster. */
  private static final Set<String> OPERATE =
      Set.of(
          "GET /metrics",
          "GET /v1/table",
          "GET /v1/status",
          "GET /v1/status/cluster",
          "GET /v1/storage",
          "GET /v1/hosts/:host/removal");

  /** Those who have a proof from after the start, so that none is repeated. */
  private static final Set<String> NEW_PROOF =
      Set.of("POST /v1/leave", "POST /v1/hosts/:host/removal");

  /** Senders of samples. */
  private static final Set<String> WRITE =
      Set.of(
          "POST /v1/hosts/:host/frames",
          "POST /api/v1/write",
          "POST /api/v1/prometheus",
          "POST /api/v1/otlp/v1/metrics");

  /** What processes of the cluster ask; no token suffices. */
  private static final Set<String> PEERS =
      Set.of(
          "POST /v1/fragments",
          "GET /v1/hosts/:host/kept",
          "POST /v1/hosts/:host/offers",
          "GET /v1/hosts/:host/digest",
          "GET /v1/hosts/:host/samples",
          "GET /v1/hosts/:host/blocks",
          "GET /v1/hosts/:host/blocks/:name",
          "GET /v1/hosts/:host/usage",
          "GET /v1/hosts/:host/usage/:name",
          "PUT /v1/sent",
          "GET /v1/stream",
          "GET /v1/backup",
          "POST /v1/backup",
          "GET /v1/backup/:id",
          "GET /v1/backup/:id/files/:number",
          "DELETE /v1/backup/:id",
          "POST /v1/restore/series",
          "POST /v1/restore/hosts/:host",
          "GET /v1/restore/hosts/:host/blocks",
          "PUT /v1/restore/hosts/:host/blocks/:name",
          "PUT /v1/restore/hosts/:host/usage/:name",
          "POST /v1/restore/hosts/:host/blocks",
          "POST /v1/restore/hosts/:host/samples",
          "POST /v1/restore/hosts/:host/end");

  @TempDir private Path folder;

  private interface Asking {
    void ask(MountedRoutes routes) throws Exception;
  }

  private void with(String http, boolean hasTenants, boolean hasSecret, Asking asking)
      throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    String yaml =
        """
        id: g1
        http: {%s, port: 0}
        store: {folder: '%s'}
        cluster: {name: routes-%d, host: 127.0.0.1, port: %d, members: ["127.0.0.1:%d"]%s}
        """
            .formatted(
                http,
                folder.resolve("store"),
                System.nanoTime(),
                port,
                port,
                hasSecret
                    ? ", secretFile: '"
                        + Files.writeString(folder.resolve("secret"), "a-secret-of-16-or-more")
                        + "'"
                    : "");
    if (hasTenants) {
      yaml += "tenants: {file: '" + MountedRoutes.tenants(folder) + "'}\n";
    }
    try (GatewayProcess process =
            GatewayProcess.start(GatewayConfig.read("the test", yaml), System::currentTimeMillis);
        MountedRoutes routes =
            new MountedRoutes(HttpClient.newHttpClient(), process.address(), process.router())) {
      assertThat(routes.all())
          .containsAll(OPEN)
          .containsAll(OPERATE)
          .containsAll(NEW_PROOF)
          .containsAll(WRITE)
          .containsAll(PEERS);
      asking.ask(routes);
    }
  }

  private static Set<String> without(Set<String> all, Set<String> some) {
    Set<String> rest = new TreeSet<>(all);
    rest.removeAll(some);
    return rest;
  }

  private static Set<String> peers(MountedRoutes routes) {
    return without(without(without(without(routes.all(), OPEN), OPERATE), NEW_PROOF), WRITE);
  }

  private static String[] token(String name) {
    return new String[] {"Authorization", "Bearer " + name};
  }

  private static void assertRefused(Map<String, Integer> refused, Set<String> all, int status) {
    assertThat(refused)
        .containsOnlyKeys(all)
        .allSatisfy((route, of) -> assertThat(of).as(route).isEqualTo(status));
  }

  @Test
  void withTenantsEveryRouteThatIsNotOpenAsksWhoComesAndWhatHeMay() throws Exception {
    with("host: 127.0.0.1", true, true, RoutesTest::asksEverybody);
  }

  private static void asksEverybody(MountedRoutes routes) throws Exception {
    Set<String> peers = peers(routes);
    assertThat(peers).isEqualTo(PEERS);
    for (String[] headers : MountedRoutes.forgeries().values()) {
      assertRefused(routes.refused(routes.all(), headers), without(routes.all(), OPEN), 401);
    }
    assertThat(routes.ask(Set.of("GET /-/healthy")).values()).containsExactly(200);
    for (String name : new String[] {"read", "write", "operate", "scoped"}) {
      assertRefused(routes.refused(peers, token(name)), peers, 401);
    }
    for (String name : new String[] {"read", "write"}) {
      assertRefused(routes.refused(OPERATE, token(name)), OPERATE, 403);
      assertRefused(routes.refused(NEW_PROOF, token(name)), NEW_PROOF, 403);
    }
    assertThat(routes.refused(OPERATE, token("operate"))).isEmpty();
    for (String header : new String[] {"Origin", "Sec-Fetch-Site", "Referer", "Content-Type"}) {
      assertRefused(
          routes.refused(NEW_PROOF, "Authorization", "Bearer operate", header, "x"),
          NEW_PROOF,
          403);
    }
    for (String name : new String[] {"read", "operate", "scoped"}) {
      assertRefused(routes.refused(WRITE, token(name)), WRITE, 403);
    }
    assertThat(routes.refused(WRITE, token("write"))).isEmpty();
  }

  @Test
  void withASecretAndWithoutTenantsWhatIsOfTheClusterNeedsAProof() throws Exception {
    with(
        "host: 127.0.0.1",
        false,
        true,
        routes -> {
          Set<String> proven = new TreeSet<>(peers(routes));
          proven.addAll(NEW_PROOF);
          for (String[] headers : MountedRoutes.forgeries().values()) {
            boolean isSigned = headers.length > 0 && headers[0].equals("X-Fleetgauge-Signature");
            // Who says that it is a process of the cluster has to prove it everywhere.
            Set<String> refused = isSigned ? without(routes.all(), OPEN) : proven;
            assertRefused(routes.refused(routes.all(), headers), refused, 401);
          }
        });
  }

  @Test
  void onlyAnAddressOfTheMachineItselfIsItsOwn() throws Exception {
    assertThat(OwnMachine.isThisMachine("127.0.0.1")).isTrue();
    assertThat(OwnMachine.isThisMachine("127.8.9.10")).isTrue();
    assertThat(OwnMachine.isThisMachine("0:0:0:0:0:0:0:1")).isTrue();
    for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      for (InetAddress address : Collections.list(each.getInetAddresses())) {
        assertThat(OwnMachine.isThisMachine(address.getHostAddress())).as("%s", address).isTrue();
      }
    }
    assertThat(OwnMachine.isThisMachine("192.0.2.1")).isFalse();
    assertThat(OwnMachine.isThisMachine("2001:db8::1")).isFalse();
  }

  @Test
  void insecureIsOpenToAll() throws Exception {
    with(
        "host: 0.0.0.0, insecure: true, advertisedHost: 127.0.0.1",
        false,
        false,
        routes -> {
          Set<String> harmless = new TreeSet<>(OPEN);
          harmless.addAll(OPERATE);
          for (String[] headers : MountedRoutes.forgeries().values()) {
            assertThat(routes.refused(harmless, headers)).isEmpty();
          }
        });
  }
}

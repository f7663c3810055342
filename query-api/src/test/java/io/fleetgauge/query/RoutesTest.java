package io.fleetgauge.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.runtime.http.MountedRoutes;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * The guard of each route that is mounted. A route that is in no list here needs the read
 * permission.
 */
class RoutesTest {
  /** They show nothing of what is stored. */
  private static final Set<String> OPEN =
      Set.of(
          "GET /-/healthy",
          "GET /-/ready",
          "GET /",
          "GET /api/openapi.yaml",
          "GET /runbooks/:page");

  /** Routes for other query APIs; no token suffices. */
  private static final Set<String> PEERS =
      Set.of(
          "POST /v1/peers/heartbeat",
          "POST /v1/queries/list",
          "POST /v1/queries/cancel",
          "POST /v1/rules/states",
          "POST /v1/rules/state",
          "POST /v1/rules/versions",
          "POST /v1/rules/read",
          "POST /v1/rules/groups");

  private static final Set<String> METHODS = Set.of("GET", "POST", "PUT", "DELETE", "HEAD");
  private static final String METRICS = "GET /metrics";

  /** Routes that need another permission besides read. */
  private static final Set<String> NOT_FOR_READERS =
      Set.of(
          "POST /-/reload",
          "PUT /-/reload",
          "GET /api/v1/status/cluster",
          "GET /api/v1/status/storage",
          "POST /api/v1/status/queries/:id/cancel",
          "POST /prometheus/config/v1/rules/:namespace",
          "DELETE /prometheus/config/v1/rules/:namespace",
          "DELETE /prometheus/config/v1/rules/:namespace/:group",
          "POST /config/v1/rules/:namespace",
          "DELETE /config/v1/rules/:namespace",
          "DELETE /config/v1/rules/:namespace/:group");

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
        http: {%s, port: 0}
        cluster: {name: routes-%d, port: %d, members: ["127.0.0.1:%d"]%s}
        """
            .formatted(
                http,
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
    try (QueryProcess process =
            QueryProcess.start(QueryConfig.read("the test", yaml), System::currentTimeMillis);
        MountedRoutes routes =
            new MountedRoutes(
                HttpClient.newHttpClient(),
                URI.create("http://127.0.0.1:" + process.port()),
                process.router())) {
      assertThat(routes.all())
          .contains(METRICS)
          .containsAll(OPEN)
          .containsAll(PEERS)
          .containsAll(described());
      asking.ask(routes);
    }
  }

  /** Routes that the description of the API names, as they are mounted. */
  private static Set<String> described() throws Exception {
    Path file = Path.of(System.getProperty("fleetgauge.root"), "docs/api/query.yaml");
    Map<String, Map<String, Map<String, Object>>> description =
        new Yaml().load(Files.readString(file));
    Set<String> described = new TreeSet<>();
    description
        .get("paths")
        .forEach(
            (path, methods) ->
                methods.keySet().stream()
                    .filter(method -> METHODS.contains(method.toUpperCase(Locale.ROOT)))
                    .map(method -> method.toUpperCase(Locale.ROOT) + " " + path)
                    .map(route -> route.replaceAll("\\{(\\w+)}", ":$1"))
                    .forEach(described::add));
    assertThat(described).hasSizeGreaterThan(50);
    return described;
  }

  /** Routes without authentication: the open ones, and those that hold no data. */
  private static Set<String> open(MountedRoutes routes) {
    Set<String> open = new TreeSet<>(OPEN);
    // Browsers ask OPTIONS without a token, and other methods than those that are mounted get 405.
    routes.all().stream()
        .filter(route -> route.startsWith("OPTIONS ") || route.startsWith("ANY "))
        .forEach(open::add);
    return open;
  }

  /** The status that everybody gets of an open route. */
  private static int openStatus(String route) {
    return switch (route) {
      case String each when each.startsWith("OPTIONS ") -> 204;
      case String each when each.startsWith("ANY ") -> 405;
      case String each when each.contains(":") -> 404; // there is no such page
      case String each -> 200;
    };
  }

  private static Set<String> without(Set<String> all, Set<String> some) {
    Set<String> rest = new TreeSet<>(all);
    rest.removeAll(some);
    return rest;
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
    with("host: 127.0.0.1", true, true, this::asksEverybody);
  }

  @Test
  void withTenantsAndWithoutASecretNobodyIsAQueryApi() throws Exception {
    with("host: 127.0.0.1", true, false, this::asksEverybody);
  }

  private void asksEverybody(MountedRoutes routes) throws Exception {
    Set<String> open = open(routes);
    Set<String> guarded = without(routes.all(), open);
    for (String[] headers : MountedRoutes.forgeries().values()) {
      assertRefused(routes.refused(routes.all(), headers), guarded, 401);
    }
    routes
        .ask(open)
        .forEach((route, status) -> assertThat(status).as(route).isEqualTo(openStatus(route)));
    for (String name : new String[] {"read", "write", "operate", "scoped"}) {
      assertRefused(routes.refused(PEERS, token(name)), PEERS, 401);
    }
    Set<String> reading = without(without(guarded, PEERS), Set.of(METRICS));
    for (String name : new String[] {"write", "operate"}) {
      assertRefused(routes.refused(reading, token(name)), reading, 403);
    }
    assertRefused(routes.refused(reading, token("read")), NOT_FOR_READERS, 403);
    assertThat(routes.refused(reading, token("scoped")))
        .as("the state of the cluster is not that of a tenant")
        .containsKeys("GET /api/v1/status/cluster", "GET /api/v1/status/storage");
    Set<String> metrics = Set.of(METRICS);
    assertRefused(routes.refused(metrics, token("read")), metrics, 403);
    assertRefused(routes.refused(metrics, token("write")), metrics, 403);
    assertThat(routes.refused(metrics, token("operate"))).isEmpty();
  }

  @Test
  void withASecretAndWithoutTenantsOnlyQueryApisReachWhatIsTheirs() throws Exception {
    with(
        "host: 127.0.0.1",
        false,
        true,
        routes -> {
          for (String[] headers : MountedRoutes.forgeries().values()) {
            boolean isSigned = headers.length > 0 && headers[0].equals("X-Fleetgauge-Signature");
            Set<String> refused = new TreeSet<>(PEERS);
            if (isSigned) {
              refused.add(METRICS); // who says that it is a process of the cluster has to prove it
            }
            assertRefused(routes.refused(routes.all(), headers), refused, 401);
          }
        });
  }

  @Test
  void insecureIsOpenToAll() throws Exception {
    with(
        "host: 0.0.0.0, insecure: true",
        false,
        false,
        routes -> assertThat(routes.refused(without(routes.all(), PEERS))).isEmpty());
  }
}

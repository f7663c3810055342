package io.fleetgauge.query.inventory;

import static io.fleetgauge.query.ApiServer.NOW;
import static io.fleetgauge.query.ApiServer.failure;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.query.ApiServer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@ExtendWith(VertxExtension.class)
class InventoryRouteTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long HOUR = 3_600_000;

  private ApiServer api;
  private Path file;

  @BeforeEach
  void start(Vertx vertx, @TempDir Path folder) throws Exception {
    file = Files.writeString(folder.resolve("inventory.yaml"), "hosts: [{host: n5, gpus: 8}, 7]");
    api = new ApiServer(vertx, folder, "inventory: {file: " + file + "}");
    // A host that fell silent an hour ago.
    api.fleet.host("n4", "g1", "g2");
    series("gpu_expected", 4, NOW - HOUR, 2);
    for (int host = 1; host <= 4; host++) {
      for (int gpu = 0; gpu < 2; gpu++) {
        gpu(host, gpu, host == 4 ? NOW - HOUR : NOW);
      }
    }
    api.fleet.with(
        new Series(
            ApiServer.gpu("gpu_fault_active", 2, 1)
                .with(Labels.of("UUID", "GPU-2-1", "kind", "gpu_lost", "severity", "critical")),
            new long[] {NOW},
            new double[] {1}));
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  private void gpu(int host, int gpu, long time) {
    Labels labels = ApiServer.gpu("gpu_info", host, gpu).with("UUID", "GPU-" + host + "-" + gpu);
    api.fleet.with(new Series(labels, new long[] {time}, new double[] {1}));
  }

  private void series(String metric, int host, long time, double value) {
    Labels labels = Labels.of("__name__", metric, "Hostname", "n" + host, "rack", "r" + host / 2);
    api.fleet.with(new Series(labels, new long[] {time}, new double[] {value}));
  }

  /** Name, state, and numbers of GPUs expected, present and healthy. */
  private List<String> hosts(String tenant, String query) throws Exception {
    JsonNode data = api.data(tenant, "/api/v1/inventory" + query);
    return StreamSupport.stream(data.path("hosts").spliterator(), false)
        .map(
            host ->
                "%s %s %d %d %d"
                    .formatted(
                        host.path("host").asText(),
                        host.path("state").asText(),
                        host.path("gpus").path("expected").asInt(),
                        host.path("gpus").path("present").asInt(),
                        host.path("gpus").path("healthy").asInt()))
        .toList();
  }

  @Test
  void allHostsAreListedAlsoThoseThatAreSilentOrMissing() throws Exception {
    assertThat(hosts("root", ""))
        .containsExactly(
            "n1 present 2 2 2",
            "n2 present 2 2 1",
            "n3 present 2 2 2",
            "n4 silent 2 0 0",
            "n5 missing 8 0 0");
    assertThat(api.envelope("root", "/api/v1/inventory").path("warnings"))
        .isEqualTo(
            JSON.readTree("[\"inventory.file: entry 2 of hosts is left out: it has no keys\"]"));
  }

  @Test
  void aCallerWithAScopeSeesItsHostsAndGpusAlone() throws Exception {
    assertThat(hosts("a", "")).containsExactly("n1 present 2 2 2", "n2 present 1 1 1");
    assertThat(hosts("b", ""))
        .containsExactly("n2 present 1 1 0", "n3 present 2 2 2", "n4 silent 2 0 0");
    assertThat(api.envelope("a", "/api/v1/inventory").toString())
        .doesNotContain("warnings", "GPU-2-1", "n3", "n5");
  }

  @Test
  void hostsAreFilteredByNameRackDomainAndState() throws Exception {
    assertThat(hosts("root", "?host=n1&host=n4"))
        .containsExactly("n1 present 2 2 2", "n4 silent 2 0 0");
    assertThat(hosts("root", "?rack=r1")).hasSize(2);
    assertThat(hosts("root", "?rack=r1&host=n3")).containsExactly("n3 present 2 2 2");
    assertThat(hosts("root", "?state=silent&state=missing")).hasSize(2);
    assertThat(hosts("root", "?domain=none")).isEmpty();
    assertThat(hosts("root", "?limit=2")).hasSize(2);
    assertThat(api.envelope("root", "/api/v1/inventory?limit=2").path("warnings").toString())
        .contains("truncated");
    assertThat(failure(api.http.get("root", "/api/v1/inventory?state=lost")).toString())
        .contains("state", "lost is unknown; allowed is present, silent or missing");
  }

  @Test
  void aHostIsToldWithItsGpusAndItsDomain() throws Exception {
    Labels labels = ApiServer.gpu("gpu_fabric_info", 1, 0);
    api.fleet.with(
        new Series(
            labels.with(Labels.of("UUID", "GPU-1-0", "cluster_uuid", "c", "clique_id", "3")),
            new long[] {NOW},
            new double[] {1}));
    assertThat(api.data("root", "/api/v1/inventory?host=n1"))
        .isEqualTo(
            JSON.readTree(
                """
                {"hosts": [{"host": "n1", "rack": "r0", "domain": "c/3", "state": "present",
                  "lastSeen": 1795300000, "gpus": {"expected": 2, "present": 2, "healthy": 2},
                  "links": {"expected": 0, "active": 0}, "faults": [], "devices": [
                    {"UUID": "GPU-1-0", "gpu": "0", "modelName": "", "domain": "c/3",
                     "present": true, "links": {"expected": 0, "active": 0}, "faults": []},
                    {"UUID": "GPU-1-1", "gpu": "1", "modelName": "", "domain": "",
                     "present": true, "links": {"expected": 0, "active": 0}, "faults": []}]}],
                 "domains": [{"domain": "c/3", "hosts": 1,
                  "gpus": {"expected": 2, "present": 2, "healthy": 2},
                  "links": {"expected": 0, "active": 0}}]}
                """));
  }

  @Test
  void whatWasStoredOfTheInventoryIsRemembered() throws Exception {
    Labels present =
        Labels.of("__name__", "gpu_inventory_gpus", "Hostname", "n1", "state", "present");
    api.fleet.with(new Series(present, new long[] {NOW - 20 * HOUR}, new double[] {3}));
    Labels domain =
        Labels.of("__name__", "gpu_inventory_domain_info", "Hostname", "n1", "domain", "c/3");
    api.fleet.with(new Series(domain, new long[] {NOW - HOUR / 2}, new double[] {1}));
    assertThat(hosts("root", "?domain=c/3")).containsExactly("n1 present 3 2 2");
  }
}

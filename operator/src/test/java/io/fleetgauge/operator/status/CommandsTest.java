package io.fleetgauge.operator.status;

import static io.fleetgauge.query.ApiServer.NOW;
import static io.fleetgauge.query.ApiServer.TEMPERATURE;
import static io.fleetgauge.query.ApiServer.encoded;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.status.AllGateways;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.query.ApiServer;
import io.fleetgauge.runtime.process.Command;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("slow")
@ExtendWith(VertxExtension.class)
class CommandsTest {
  private static final String GATEWAY =
      """
      {"id": "%s", "version": "0.1.0", "java": "25", "now": %d, "startedAt": %d, "processors": 8,
       "load": 1.5, "heapUsed": 100000000, "heapMax": 1073741824, "rss": 300000000,
       "recovered": true, "memoryRatio": 0.2, "series": 1200,
       "disk": {"folder": "/d", "trouble": "", "freeBytes": %d, "totalBytes": 1000000000,
                "blockBytes": 5000000, "blocks": 3, "maxBytes": 107374182400, "journalBytes": 7,
                "journalMaxBytes": 100, "retentionMillis": 604800000, "bytesPerDay": 1000000,
                "bytesAtRetention": 7000000},
       "headBytes": 4, "rollupBytes": 5, "bytesPerSample": 1.25,
       "hosts": {"n1": {"series": 600, "newestAt": %d, "tickMillis": 15000, "diskBytes": 9,
                        "rollupBytes": 1, "memoryBytes": 2, "blocks": 3, "oldestAt": 5}},
       "groups": {"host": {"series": 600, "diskBytes": 9}},
       "metrics": [{"metric": "node_load1", "series": 600, "diskBytes": 9}]}
      """;

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private ApiServer api;
  private Path token;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    api = new ApiServer(vertx, folder);
    token = Files.writeString(folder.resolve("token"), "root\n");
    gateways(500_000_000, 5_000);
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  /** Two gateways, with the host n1 on both. */
  private void gateways(long free, long age) {
    Map<String, Holders> holders =
        Map.of(
            "n1",
            new Holders(
                "g1", 1, Set.of(), List.of(new Holders.Copy("g2", 1, true)), Optional.empty()));
    OwnershipTable table = new OwnershipTable(7, 9, List.of("g1", "g2"), new TreeMap<>(holders));
    Map<String, JsonObject> answers = new TreeMap<>();
    for (String id : List.of("g1", "g2")) {
      answers.put(id, new JsonObject(GATEWAY.formatted(id, NOW, NOW - 7_200_000, free, NOW - age)));
    }
    Map<String, URI> present = new LinkedHashMap<>();
    present.put("g1", URI.create("http://10.0.0.1:9500"));
    present.put("g2", URI.create("http://10.0.0.2:9500"));
    api.gateways =
        path -> new AllGateways.Answers(new ClusterView(table, present, false), answers, Map.of());
  }

  private int run(Command command, String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    List<String> all =
        new ArrayList<>(List.of("--url=" + api.http.address(""), "--token-file=" + token));
    all.addAll(List.of(arguments));
    return new CommandLine(command)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(all.toArray(String[]::new));
  }

  private void fits() {
    assertThat(out.toString().lines()).allMatch(line -> line.length() <= 120);
  }

  @Test
  void statusIsOkAndExitsWithZeroWhileNothingIsWrong() {
    assertThat(run(new StatusCommand())).as(err.toString()).isZero();
    assertThat(out.toString())
        .startsWith("OK: no problems\n")
        .contains("table: epoch 9", "written by g1", "1 of 1 hosts fully replicated")
        .containsPattern("g1 +http://10.0.0.1:9500 +1 +0 +1,200 +1.5/8 +95.4 MiB")
        .containsPattern("n1 +up +g1 +g2 +5.0 s +0 ms +15.0 s +600 +yes")
        .containsPattern("g1 .*7.0 d +6.7 MiB +enough");
    fits();
  }

  @Test
  void statusExitsWithOneForWarningsAndTwoForWhatIsCritical() {
    gateways(50_000_000, 90_000);
    assertThat(run(new StatusCommand())).isEqualTo(1);
    assertThat(out.toString())
        .startsWith("WARNING gateway g1: 5.0 % of the file system of /d are free\n    do: free")
        .contains("WARNING 1 host: are silent: n1");
    gateways(5_000_000, 5_000);
    assertThat(run(new StatusCommand())).isEqualTo(2);
    assertThat(out.toString()).startsWith("CRITICAL gateway g1: 0.5 %");
    fits();
  }

  @Test
  void statusAsJsonIsWhatTheApiSays() {
    assertThat(run(new StatusCommand(), "--format=json")).isZero();
    JsonObject status = new JsonObject(out.toString());
    assertThat(status.fieldNames())
        .contains("problems", "cluster", "replicas", "gateways", "hosts", "tenants", "queryApi");
    assertThat(status.getJsonArray("hosts").getJsonObject(0).getString("owner")).isEqualTo("g1");
  }

  @Test
  void withoutAnAnswerStatusExitsWithTwoAndTheOthersWithOne() throws Exception {
    Files.writeString(token, "a");
    assertThat(run(new StatusCommand())).isEqualTo(2);
    assertThat(err.toString()).contains("status 403: the state of the cluster needs a token");
    assertThat(run(new StorageCommand())).isEqualTo(1);
    Files.writeString(token, "nobody");
    assertThat(run(new CardinalityCommand())).isEqualTo(1);
    assertThat(err.toString()).contains("status 401");
    assertThat(run(new SlowQueriesCommand(), "--url=http://127.0.0.1:1")).isNotZero();
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void wrongUsageExitsWithTwo() {
    for (Command command :
        List.of(new StatusCommand(), new StorageCommand(), new CardinalityCommand())) {
      assertThat(run(command, "--format=xml")).isEqualTo(2);
      assertThat(err.toString()).contains("--format is xml; it may be table or json");
    }
  }

  @Test
  void storageIsShownByGatewayGroupMetricAndHost() {
    assertThat(run(new StorageCommand())).as(err.toString()).isZero();
    assertThat(out.toString())
        .startsWith("9.5 MiB in blocks (10 B of them rollups), 14 B in journals")
        .contains("1.25 bytes per sample; 1.9 MiB a day; 13.4 MiB when the retention is reached")
        .containsPattern("g1 +4.8 MiB +100.0 GiB")
        .containsPattern("host +1,200 +18 B +100 %")
        .containsPattern("node_load1 +1,200 +18 B")
        .containsPattern("n1 +2 +1,200 +6 +18 B");
    fits();
    assertThat(run(new StorageCommand(), "--format=json")).isZero();
    assertThat(new JsonObject(out.toString()).fieldNames())
        .containsExactly("total", "gateways", "hosts", "groups", "metrics");
  }

  @Test
  void cardinalityIsShownWithItsGrowth() throws Exception {
    assertThat(run(new CardinalityCommand())).as(err.toString()).isZero();
    assertThat(out.toString())
        .startsWith("6 series now, 0 a day ago (+6)\n")
        .containsPattern(TEMPERATURE + " +6 +100 % +\\+6")
        .contains("tenant=\"b\"");
    fits();
    Files.writeString(token, "a");
    assertThat(run(new CardinalityCommand(), "--match={rack=\"r1\"}")).isZero();
    assertThat(out.toString()).startsWith("1 series now").doesNotContain("tenant=\"b\"");
  }

  @Test
  void slowQueriesAreShownWithTheirReasons() throws Exception {
    assertThat(run(new SlowQueriesCommand())).isZero();
    assertThat(out.toString()).isEqualTo("no query took that long\n");
    api.data(
        "a",
        "/api/v1/query?query="
            + encoded("sum by (rack) (" + TEMPERATURE + "{Hostname=\"n1\"})")
            + "&time="
            + NOW / 1_000);
    assertThat(run(new SlowQueriesCommand(), "--min=0s")).as(err.toString()).isZero();
    assertThat(out.toString())
        .containsPattern(
            "1 +a +1 .* sum by \\(rack\\) \\(" + TEMPERATURE + "\\{Hostname=\"\\?\"\\}\\)")
        .contains("WHY THE SLOWEST OF EACH WAS SLOW\n1. sum by (rack)");
    fits();
  }
}

package io.fleetgauge.cluster.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClusterStatusTest {
  private static final long NOW = 1_795_300_000_000L;

  private final SortedMap<String, Holders> holders = new TreeMap<>();
  private final Map<String, URI> present = new LinkedHashMap<>();
  private final Map<String, JsonObject> answers = new TreeMap<>();
  private final Map<String, String> silent = new TreeMap<>();
  private boolean minority;

  /** Two gateways and a host on both, of which nothing is wrong. */
  ClusterStatusTest() {
    present.put("g2", URI.create("http://10.0.0.2:9500"));
    present.put("g1", URI.create("http://10.0.0.1:9500"));
    for (String id : present.keySet()) {
      answers.put(
          id,
          new JsonObject()
              .put("id", id)
              .put("version", "0.1.0")
              .put("now", NOW)
              .put("recovered", true)
              .put("memoryRatio", 0.4)
              .put("disk", disk())
              .put("hosts", new JsonObject().put("n1", host(NOW - 5_000))));
    }
    holders.put("n1", held("g1", Set.of(), new Holders.Copy("g2", 1, true)));
  }

  private static JsonObject disk() {
    return new JsonObject()
        .put("folder", "/data")
        .put("trouble", "")
        .put("freeBytes", 500L)
        .put("totalBytes", 1_000L)
        .put("retentionMillis", 7 * 86_400_000L);
  }

  private static JsonObject host(long newest) {
    return new JsonObject().put("series", 12).put("newestAt", newest).put("tickMillis", 1_000L);
  }

  private static Holders held(String owner, Set<String> behind, Holders.Copy... copies) {
    return new Holders(owner, 1, behind, List.of(copies), Optional.empty());
  }

  private JsonObject status() {
    OwnershipTable table = new OwnershipTable(7, 9, List.of("g1", "g2"), holders);
    return ClusterStatus.of(
        new ClusterSettings("c", "127.0.0.1", 5701, List.of("127.0.0.1:5701"), 2),
        new AllGateways.Answers(new ClusterView(table, present, minority), answers, silent),
        OptionalLong.of(NOW - 60_000),
        NOW);
  }

  private List<String> problems() {
    return status().getJsonArray("problems").stream()
        .map(JsonObject.class::cast)
        .map(
            each ->
                each.getString("severity")
                    + " "
                    + each.getString("subject")
                    + ": "
                    + each.getString("text"))
        .toList();
  }

  @Test
  void hostsOfSeriesWithoutOneAreNoHostsOfTheFleetButAProblemWithoutAReplica() {
    holders.put("no-host-2", held("g1", Set.of()));
    assertThat(status().getJsonObject("replicas").getInteger("hosts")).isEqualTo(1);
    assertThat(status().getJsonObject("replicas").getInteger("none")).isZero();
    assertThat(problems()).anyMatch(problem -> problem.contains("no complete replica: no-host-2"));
  }

  @Test
  void whatIsWellIsShownAndNoProblem() {
    JsonObject status = status();
    assertThat(status.getJsonArray("problems")).isEmpty();
    JsonObject cluster = status.getJsonObject("cluster");
    assertThat(cluster.getString("writer")).isEqualTo("g2");
    assertThat(cluster.getLong("tableAgeMillis")).isEqualTo(60_000);
    assertThat(cluster.getLong("epoch")).isEqualTo(9);
    assertThat(cluster.getJsonObject("versions").getJsonArray("0.1.0"))
        .isEqualTo(new JsonArray().add("g1").add("g2"));
    JsonObject host = status.getJsonArray("hosts").getJsonObject(0);
    assertThat(host.getString("state")).isEqualTo("up");
    assertThat(host.getLong("ageMillis")).isEqualTo(5_000);
    assertThat(host.getLong("lagMillis")).isEqualTo(4_000);
    assertThat(host.getJsonArray("replicas").getJsonObject(0).getBoolean("whole")).isTrue();
    assertThat(status.getJsonObject("replicas").getInteger("whole")).isEqualTo(1);
    JsonObject gateway = status.getJsonArray("gateways").getJsonObject(0);
    assertThat(gateway.getLong("owned")).isEqualTo(1);
    assertThat(gateway.getString("address")).isEqualTo("http://10.0.0.1:9500");
    assertThat(gateway.containsKey("hosts")).isFalse();
  }

  @Test
  void aGatewayThatIsAwayOrDoesNotAnswerIsCritical() {
    answers.remove("g1");
    silent.put("g1", "Connection refused");
    assertThat(problems())
        .containsExactly("critical gateway g1: it does not respond: Connection refused");
    // Its host is known from the replica.
    assertThat(status().getJsonArray("hosts").getJsonObject(0).getString("state")).isEqualTo("up");
    silent.clear();
    present.remove("g1");
    assertThat(problems())
        .contains(
            "critical gateway g1: it is not in the cluster",
            "warning cluster c: there is one gateway, so no host has a replica");
    present.clear();
    minority = true;
    assertThat(problems())
        .contains(
            "critical cluster c: no gateway can be reached",
            "critical cluster c: this side sees 0 of 2 gateways, and the other side may have"
                + " continued without it");
  }

  @Test
  void disksThatFailOrAreSoonFullAreSaidBeforeTheyAre() {
    JsonObject disk = answers.get("g1").getJsonObject("disk");
    disk.put("freeBytes", 50L).put("daysLeft", 3.5);
    answers.get("g2").getJsonObject("disk").put("freeBytes", 10L).put("daysLeft", 0.5);
    assertThat(problems())
        .containsExactly(
            "critical gateway g2: 1.0 % of the file system of /data are free",
            "critical gateway g2: its disk is full in 0.5 days at the rate of the last day, before"
                + " the retention of 7.0 days is reached",
            "warning gateway g1: 5.0 % of the file system of /data are free",
            "warning gateway g1: its disk is full in 3.5 days at the rate of the last day, before"
                + " the retention of 7.0 days is reached");
    disk.put("trouble", "No space left on device");
    assertThat(problems()).contains("critical gateway g1: its disk fails: No space left on device");
  }

  @Test
  void memoryClocksVersionsAndRecoveryAreWatched() {
    answers
        .get("g1")
        .put("memoryRatio", 0.95)
        .put("now", NOW + 6_000)
        .put("version", "0.2.0")
        .put("recovered", false);
    answers.get("g2").put("now", NOW - 31_000);
    assertThat(problems())
        .containsExactly(
            "critical gateway g2: its clock differs by -31.0 s",
            "warning cluster c: gateways of 2 versions run together: 0.1.0, 0.2.0",
            "warning gateway g1: samples from before its start are still being loaded",
            "warning gateway g1: its heap is 95 % full after a collection",
            "warning gateway g1: its clock differs by +6.0 s");
  }

  @Test
  void hostsThatAreSilentNotWholeOrHeldOnceAreNamed() {
    answers.values().forEach(each -> each.getJsonObject("hosts").put("n1", host(NOW - 31_000)));
    holders.put("n2", held("g1", Set.of("g9"), new Holders.Copy("g2", 1, false)));
    assertThat(problems())
        .containsExactly(
            "warning 1 host: may lack acknowledged samples that only a gateway that is down has:"
                + " n2",
            "warning 1 host: have no complete replica: n2",
            "warning 1 host: are silent: n1",
            "warning 1 host: have no sample on any reachable gateway: n2");
    for (int i = 100; i < 115; i++) {
      holders.put("n" + i, held("g1", Set.of(), new Holders.Copy("g2", 1, true)));
    }
    assertThat(problems().getLast()).startsWith("warning 16 hosts: ").endsWith(" and 6 more");
  }

  @Test
  void theAgeOfATableIsThatOfItsEpoch() {
    AtomicLong clock = new AtomicLong(5);
    TableAge age = new TableAge(clock::get);
    age.look(ClusterView.EMPTY);
    assertThat(age.since()).isEmpty();
    age.look(new ClusterView(OwnershipTable.ofOwners(7, Map.of("n1", "g1")), Map.of(), false));
    clock.set(9);
    age.look(new ClusterView(OwnershipTable.ofOwners(7, Map.of("n1", "g1")), Map.of(), true));
    assertThat(age.since()).hasValue(5);
    age.look(new ClusterView(OwnershipTable.ofOwners(8, Map.of("n1", "g1")), Map.of(), false));
    assertThat(age.since()).hasValue(9);
  }
}

package io.fleetgauge.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.cluster.member.Entry.Found;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.runtime.FreePorts;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import io.fleetgauge.runtime.trust.Seal;
import io.fleetgauge.sample.wire.WireWriter;
import java.io.IOException;
import java.io.Serializable;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What others put into Hazelcast, where the cluster has no secret. Real members over loopback. */
@Tag("slow")
class RubbishEntriesTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final List<String> MAPS =
      List.of(
          "fleetgauge.members",
          "fleetgauge.hosts",
          "fleetgauge.table",
          "fleetgauge.active",
          "fleetgauge.reports");

  /** A class that is on the path of the member that must not read it. */
  private static final class Gadget implements Serializable {
    private static final long serialVersionUID = 1;
    private static final AtomicInteger READ = new AtomicInteger();

    private Object readResolve() {
      READ.incrementAndGet();
      return this;
    }
  }

  @TempDir Path folder;

  private int port;
  private String name;
  private ClusterMember gateway;

  @BeforeEach
  void start() throws IOException {
    port = FreePorts.take(1).getFirst();
    name = "rubbish-" + port;
    gateway =
        ClusterMember.join(
            new ClusterSettings(name, "127.0.0.1", port, List.of("127.0.0.1:" + port), 1),
            Optional.of(
                new ClusterMember.Gateway(
                    "g1", URI.create("http://127.0.0.1:9000"), "", folder.resolve("table"))),
            ClusterKey.NONE);
    gateway.activate();
    gateway.register("before", Admission.UNKNOWN);
    await().atMost(SOON).until(() -> gateway.view().table().hosts().contains("before"));
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  @Test
  void anEntryThatCannotBeReadIsIgnoredAndNothingElseWithIt() {
    HazelcastInstance other = ForeignMember.join(name, port, ClusterKey.NONE);
    try {
      for (String map : MAPS) {
        Map<Object, Object> shared = other.getMap(map);
        shared.put("three", new byte[] {1, 2, 3});
        shared.put("text", "text");
        shared.put("gadget", new Gadget());
        shared.put(new Gadget(), new byte[] {1});
        shared.put(17, 18L);
        shared.put("tree", new HashMap<>(Map.of("a", "b")));
      }
      other.getMap("fleetgauge.table").put("table", new Gadget());
      other.getMap("fleetgauge.active").put("g1", new Gadget());
      other.getMap("fleetgauge.reports").put("before", new byte[] {1, 2, 3});
      gateway.register("after", Admission.UNKNOWN);
      await().atMost(SOON).until(() -> gateway.view().table().hosts().contains("after"));
      assertThat(gateway.view().table().owner("before")).contains("g1");
      await().atMost(SOON).until(() -> gateway.ignoredEntries() > 0);
      assertThat(Gadget.READ).as("made from bytes of another member").hasValue(0);
    } finally {
      other.shutdown();
    }
  }

  @Test
  void aHostWhoseEntryWasLostIsPutAgainWhenItIsMadeKnownAgain() {
    Map<Object, Object> hosts = gateway.hazelcast().getMap("fleetgauge.hosts");
    for (int i = 0; i < 2; i++) {
      hosts.clear();
      gateway.register("before", Admission.UNKNOWN);
      await().atMost(SOON).until(() -> hosts.size() == 1);
    }
  }

  @Test
  void anOwnerPutsItsReportThereAgainWhenSomebodyElseReplacedIt() {
    HazelcastInstance other = ForeignMember.join(name, port, ClusterKey.NONE);
    try {
      Map<Object, Object> reports = other.getMap("fleetgauge.reports");
      gateway.report("before", new Report("g1", 1, Set.of(), Set.of()));
      await().atMost(SOON).until(() -> reports.get("before") != null);
      Object own = reports.get("before");
      reports.put("before", new byte[] {1, 2, 3});
      await().atMost(SOON).until(() -> isReportOf(own, reports.get("before")));
      reports.remove("before");
      await().atMost(SOON).until(() -> isReportOf(own, reports.get("before")));
    } finally {
      other.shutdown();
    }
  }

  /** The same report; only its sequence differs. */
  private static boolean isReportOf(Object before, Object now) {
    Seal open = new Seal(ClusterKey.NONE, Purpose.ENTRY);
    return now instanceof byte[] bytes
        && Entry.open(bytes, open) instanceof Found.Proven(byte[] same, Entry entry)
        && Entry.open((byte[]) before, open) instanceof Found.Proven(byte[] first, Entry own)
        && entry.session().equals(own.session())
        && entry.sequence() > own.sequence()
        && Arrays.equals(entry.body(), own.body());
  }

  /** A copy may have fallen behind since; whoever puts the report back need not know the secret. */
  @Test
  void aReportThatIsPutBackAfterALaterOneIsNotBelieved() {
    Registry registry =
        new Registry(
            gateway.hazelcast(), ClusterKey.NONE, name, Optional.empty(), new IgnoredEntries());
    Map<Object, Object> reports = gateway.hazelcast().getMap("fleetgauge.reports");
    Report synced = new Report("g1", 7, Set.of(), Set.of("a-copy"));
    Report notSynced = new Report("g1", 7, Set.of(), Set.of());
    registry.report("n1", synced);
    Object before = reports.get("n1");
    assertThat(registry.gather().reports()).containsEntry("n1", synced);
    registry.report("n1", notSynced);
    assertThat(registry.gather().reports()).containsEntry("n1", notSynced);
    reports.put("n1", before);
    assertThat(registry.gather().reports()).doesNotContainKey("n1");
  }

  @Test
  void aMemberWithoutAnAddressIsNoGateway() {
    HazelcastInstance other = ForeignMember.join(name, port, ClusterKey.NONE);
    try {
      String session = other.getCluster().getLocalMember().getUuid().toString();
      byte[] body = new WireWriter().u8(1).string("g0").string("").string("").toBytes();
      byte[] entry =
          new Entry(session, 1, body)
              .sealed(
                  new Seal(ClusterKey.NONE, Purpose.ENTRY), name, "fleetgauge.members", session);
      other.getMap("fleetgauge.members").put(session, entry);
      await().atMost(SOON).until(() -> gateway.ignoredEntries() > 0);
      gateway.register("after", Admission.UNKNOWN);
      await().atMost(SOON).until(() -> gateway.view().table().hosts().contains("after"));
      assertThat(gateway.view().gateways()).containsOnlyKeys("g1");
    } finally {
      other.shutdown();
    }
  }

  @Test
  void aClientOfHazelcastIsNotAnswered() {
    ClientConfig client = new ClientConfig().setClusterName(name);
    client.getNetworkConfig().addAddress("127.0.0.1:" + port);
    client
        .getConnectionStrategyConfig()
        .getConnectionRetryConfig()
        .setClusterConnectTimeoutMillis(1_500);
    assertThatThrownBy(() -> HazelcastClient.newHazelcastClient(client))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Unable to connect");
  }
}

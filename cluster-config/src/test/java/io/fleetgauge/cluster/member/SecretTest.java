package io.fleetgauge.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.Membership.Standing;
import io.fleetgauge.cluster.table.Membership.Start;
import io.fleetgauge.cluster.table.Membership.Stated;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.cluster.table.StatusForm;
import io.fleetgauge.cluster.table.TableForm;
import io.fleetgauge.runtime.FreePorts;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import io.fleetgauge.runtime.trust.Seal;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster with a secret, and others that do not have it. Real members over loopback. */
@Tag("slow")
class SecretTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private final AtomicReference<List<String>> secrets =
      new AtomicReference<>(List.of("0123456789abcdef"));
  private final ClusterKey key = ClusterKey.of(secrets::get);
  private static final ClusterKey OTHER = ClusterKey.of(() -> List.of("fedcba9876543210"));

  @TempDir Path folder;

  private List<Integer> ports;
  private String name;
  private ClusterMember gateway;

  @BeforeEach
  void start() throws IOException {
    ports = FreePorts.take(2);
    name = "secret-" + ports.getFirst();
    gateway = join("g1", 0, key);
    gateway.activate();
    gateway.register("before", Admission.UNKNOWN);
    await().atMost(SOON).until(() -> gateway.view().table().hosts().contains("before"));
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  private ClusterMember join(String id, int index, ClusterKey key) {
    return ClusterMember.join(
        new ClusterSettings(
            name, "127.0.0.1", ports.get(index), List.of("127.0.0.1:" + ports.getFirst()), 1),
        Optional.of(
            new ClusterMember.Gateway(
                id, URI.create("http://127.0.0.1:9000"), "", folder.resolve(id))),
        key);
  }

  @Test
  void aGatewayWithAnotherSecretOrNoneIsToldSoAtItsStart() {
    for (ClusterKey wrong : List.of(OTHER, ClusterKey.NONE)) {
      assertThatThrownBy(() -> join("g2", 1, wrong))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("127.0.0.1:" + ports.getFirst())
          .hasMessageContaining("secret")
          .hasMessageContaining("cluster.secretFile");
    }
    // The refused side may be told before the gateway has counted it.
    await().atMost(SOON).until(() -> gateway.ignoredEntries() >= 2);
    assertThat(gateway.hazelcast().getCluster().getMembers()).hasSize(1);
    assertThat(gateway.view().gateways()).containsOnlyKeys("g1");
  }

  @Test
  void aGatewayWithTheSecretJoins() {
    ClusterMember second = join("g2", 1, key);
    try {
      await().atMost(SOON).until(() -> gateway.view().gateways().size() == 2);
      await().atMost(SOON).until(() -> second.view().table().hosts().contains("before"));
    } finally {
      second.close();
    }
  }

  @Test
  void theSecretIsChangedWithoutAnyGatewayMissingAnother() {
    String before = "0123456789abcdef";
    String after = "fedcba9876543210";
    AtomicReference<List<String>> second = new AtomicReference<>(List.of(before));
    secrets.set(List.of(before));
    ClusterMember other = join("g2", 1, ClusterKey.of(second::get));
    try {
      await().atMost(SOON).until(() -> gateway.view().gateways().size() == 2);
      List<ClusterView> views = new CopyOnWriteArrayList<>();
      gateway.onChange(views::add);
      other.onChange(views::add);
      for (List<String> step : List.of(List.of(before, after), List.of(after, before))) {
        secrets.set(step);
        second.set(step);
      }
      gateway.register("during", Admission.UNKNOWN);
      await().atMost(SOON).until(() -> other.view().table().hosts().contains("during"));
      await().atMost(SOON).until(() -> isAllSignedWith(after));
      secrets.set(List.of(after));
      second.set(List.of(after));
      gateway.register("after", Admission.UNKNOWN);
      await().atMost(SOON).until(() -> other.view().table().hosts().contains("after"));
      assertThat(gateway.ignoredEntries() + other.ignoredEntries()).isZero();
      assertThat(views).allMatch(view -> view.gateways().size() == 2);
    } finally {
      other.close();
    }
  }

  private boolean isAllSignedWith(String secret) {
    Seal seal = new Seal(ClusterKey.of(() -> List.of(secret)), Purpose.ENTRY);
    return List.of(
            "fleetgauge.members", "fleetgauge.hosts", "fleetgauge.table", "fleetgauge.active")
        .stream()
        .allMatch(
            map ->
                gateway.hazelcast().<String, byte[]>getMap(map).entrySet().stream()
                    .allMatch(
                        each -> seal.open(each.getValue(), name, map, each.getKey()).isPresent()));
  }

  @Test
  void aMemberThatKnowsOnlyTheClustersNameIsNotConnected() {
    HazelcastInstance rogue =
        Hazelcast.newHazelcastInstance(ForeignMember.config(name, ports.getFirst()));
    try {
      await().atMost(SOON).until(() -> gateway.ignoredEntries() > 0);
      assertThat(rogue.getCluster().getMembers()).hasSize(1);
      assertThat(gateway.hazelcast().getCluster().getMembers()).hasSize(1);
    } finally {
      rogue.shutdown();
    }
  }

  @Test
  void whatAMemberPublishesWithoutTheSecretOrInAnotherPlaceIsNotBelieved() {
    // It got in, say because it took over a connection.
    HazelcastInstance rogue = ForeignMember.join(name, ports.getFirst(), key);
    try {
      String session = rogue.getCluster().getLocalMember().getUuid().toString();
      MemberForm form = new MemberForm("g0", URI.create("http://127.0.0.1:1"), "");
      OwnershipTable table = OwnershipTable.ofOwners(1L << 40, Map.of("before", "g0"));
      for (ClusterKey wrong : List.of(OTHER, ClusterKey.NONE)) {
        long ignored = gateway.ignoredEntries();
        Seal seal = new Seal(wrong, Purpose.ENTRY);
        put(rogue, seal, session, "fleetgauge.members", session, form.toBytes());
        put(
            rogue,
            seal,
            session,
            "fleetgauge.active",
            "g0",
            StatusForm.toBytes(new Stated(Standing.ACTIVE, 1, new Start(1, 0, 0))));
        put(
            rogue,
            seal,
            session,
            "fleetgauge.active",
            "g1",
            StatusForm.toBytes(new Stated(Standing.ACTIVE, 1, new Start(1, 0, 0))));
        put(rogue, seal, session, "fleetgauge.hosts", "invented", new byte[0]);
        put(rogue, seal, session, "fleetgauge.table", "table", TableForm.toBytes(table));
        await().atMost(SOON).until(() -> gateway.ignoredEntries() >= ignored + 4);
      }
      // The gateway's own announcement, under the name of the rogue's membership.
      Map<Object, Object> members = rogue.getMap("fleetgauge.members");
      members.put(
          session,
          members.get(gateway.hazelcast().getCluster().getLocalMember().getUuid().toString()));
      gateway.register("after", Admission.UNKNOWN);
      await().atMost(SOON).until(() -> gateway.view().table().hosts().contains("after"));
      assertThat(gateway.view().gateways()).containsOnlyKeys("g1");
      assertThat(gateway.view().table().owners()).isEqualTo(Map.of("before", "g1", "after", "g1"));
    } finally {
      rogue.shutdown();
    }
  }

  private void put(
      HazelcastInstance by, Seal seal, String session, String map, String key, byte[] body) {
    by.getMap(map).put(key, new Entry(session, 1, body).sealed(seal, name, map, key));
  }
}

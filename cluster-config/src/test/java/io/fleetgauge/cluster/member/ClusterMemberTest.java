package io.fleetgauge.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.runtime.FreePorts;
import io.fleetgauge.runtime.trust.ClusterKey;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real members over loopback. */
@Tag("slow")
class ClusterMemberTest {
  private static final Duration SOON = Duration.ofMinutes(10);

  @TempDir Path folder;

  private final List<ClusterMember> members = new ArrayList<>();

  @AfterEach
  void leave() {
    members.reversed().forEach(ClusterMember::close);
  }

  @Test
  void allMembersComeToTheSameTable() throws IOException {
    List<Integer> ports = FreePorts.take(4);
    ClusterMember g1 = gateway("g1", ports, 0);
    ClusterMember g2 = gateway("g2", ports, 1);
    ClusterMember g3 = gateway("g3", ports, 2);
    ClusterMember reader = join(ports, 3, Optional.empty());
    await().atMost(SOON).until(() -> g1.view().table().members().size() == 3);
    g1.register("early", Admission.UNKNOWN);
    for (int i = 0; i < 30; i++) {
      g2.register("host-" + i, Admission.UNKNOWN);
    }
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              ClusterView view = reader.view();
              assertThat(view.table().owners()).hasSize(31).containsKey("early");
              assertThat(view.table().load().values()).allMatch(load -> load >= 10 && load <= 15);
              assertThat(view.gateways().keySet()).containsExactly("g1", "g2", "g3");
              for (ClusterMember member : List.of(g1, g2, g3)) {
                assertThat(member.view().table()).isEqualTo(view.table());
                assertThat(member.view().gateways()).isEqualTo(view.gateways());
              }
            });
    assertThat(reader.view().ownerAddress("early")).isPresent();
    assertThat(reader.view().ownerAddress("nosuch")).isEmpty();
  }

  @Test
  void aMemberIsClosedInTimeAlsoWhileAListenerOfHazelcastWaits() throws Exception {
    ClusterMember member = gateway("g1", FreePorts.take(2), 0);
    CountDownLatch returns = new CountDownLatch(1);
    member
        .hazelcast()
        .getLifecycleService()
        .addLifecycleListener(
            event -> {
              try {
                returns.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    try {
      Thread closing = Thread.ofPlatform().daemon().start(member::close);
      assertThat(closing.join(ClusterMember.SHUTDOWN_LIMIT.plus(SOON))).isTrue();
      assertThat(member.hazelcast().getLifecycleService().isRunning()).isTrue();
    } finally {
      returns.countDown();
    }
  }

  /** What is published is proven with the key, so it sees which threads look at the registry. */
  @Test
  void oneThreadLooksAtTheRegistryAndMakesTablesAlsoWhileAMemberJoins() throws IOException {
    List<Integer> ports = FreePorts.take(2);
    gateway("g1", ports, 0);
    Set<String> looking = ConcurrentHashMap.newKeySet();
    ClusterKey key =
        ClusterKey.of(
            () -> {
              boolean looks =
                  StackWalker.getInstance()
                      .walk(
                          frames ->
                              frames.anyMatch(
                                  each -> each.getClassName().equals(Registry.class.getName())));
              if (looks) {
                looking.add(Thread.currentThread().getName());
              }
              return List.of();
            });
    URI address = URI.create("http://127.0.0.1:9001");
    join(
        ports,
        1,
        Optional.of(new ClusterMember.Gateway("g2", address, "", folder.resolve("g2"))),
        key);
    assertThat(looking).singleElement().asString().startsWith("cluster-");
  }

  /** A listener occupies that thread, as a frozen member would that does not answer it. */
  @Test
  void readingRegisteringAndReportingDoNotWaitForTheThreadThatCallsHazelcast() throws Exception {
    ClusterMember member = gateway("g1", FreePorts.take(1), 0);
    member.register("a", Admission.UNKNOWN);
    await().atMost(SOON).until(() -> member.view().table().owner("a").isPresent());
    CountDownLatch returns = new CountDownLatch(1);
    CountDownLatch occupied = new CountDownLatch(1);
    AtomicReference<ClusterView> seen = new AtomicReference<>(member.view());
    member.onChange(
        view -> {
          if (seen.getAndSet(view) != view) {
            occupied.countDown();
            try {
              returns.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        });
    try {
      member.register("b", Admission.UNKNOWN);
      occupied.await();
      assertThat(member.view()).isSameAs(seen.get());
      member.register("c", Admission.UNKNOWN);
      member.report("a", new Report("g1", 1, Set.of(), Set.of()));
      member.remove("b", 1);
      member.poll();
      member.retire();
      assertThat(member.queryApis()).isZero();
    } finally {
      returns.countDown();
    }
  }

  @Test
  void queryApisFindEachOtherByWhatTheyPublishAndGatewaysAreNoneOfThem() throws IOException {
    List<Integer> ports = FreePorts.take(3);
    ClusterMember g1 = gateway("g1", ports, 0);
    Map<String, Map<String, URI>> found = new ConcurrentHashMap<>();
    Map<String, ClusterMember> apis = new TreeMap<>();
    for (String name : List.of("q1", "q2")) {
      ClusterMember api = join(ports, apis.size() + 1, Optional.empty());
      apis.put(name, api);
      api.meetQueryApis(
          name, URI.create("http://" + name + ":9090"), others -> found.put(name, others));
    }
    await()
        .atMost(SOON)
        .until(
            () ->
                found.equals(
                    Map.of(
                        "q1",
                        Map.of("q2", URI.create("http://q2:9090")),
                        "q2",
                        Map.of("q1", URI.create("http://q1:9090")))));
    for (ClusterMember each : List.of(g1, apis.get("q1"), apis.get("q2"))) {
      assertThat(each.queryApis()).isEqualTo(2);
      assertThat(each.view().gateways()).containsOnlyKeys("g1");
    }
    apis.get("q2").close();
    await().atMost(SOON).until(() -> found.get("q1").isEmpty());
    assertThat(apis.get("q1").queryApis()).isOne();
  }

  @Test
  void whenTheOldestLeavesTheNextOneWritesTheTable() throws IOException {
    List<Integer> ports = FreePorts.take(2);
    ClusterMember g1 = gateway("g1", ports, 0);
    ClusterMember g2 = gateway("g2", ports, 1);
    g1.register("a", Admission.UNKNOWN);
    g1.register("b", Admission.UNKNOWN);
    await().atMost(SOON).until(() -> g2.view().table().owners().size() == 2);
    long epoch = g2.view().table().epoch();
    members.remove(g1);
    g1.close();
    g2.register("c", Admission.UNKNOWN);
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              assertThat(g2.view().table().owners()).hasSize(3);
              assertThat(Set.copyOf(g2.view().table().owners().values())).containsExactly("g2");
              assertThat(g2.view().table().epoch()).isGreaterThan(epoch);
            });
  }

  @Test
  void whenAllWereGoneEpochsAndHostsGoOnWhereTheyWere() throws IOException {
    List<Integer> ports = FreePorts.take(2);
    ClusterMember g1 = gateway("g1", ports, 0);
    ClusterMember g2 = gateway("g2", ports, 1);
    for (int i = 0; i < 12; i++) {
      g1.register("h" + i, Admission.UNKNOWN);
    }
    await()
        .atMost(SOON)
        .until(
            () ->
                g2.view().table().hosts().size() == 12
                    && g2.view().table().equals(g1.view().table()));
    OwnershipTable before = g1.view().table();
    leave();
    members.clear();
    ClusterMember again = gateway("g2", ports, 0);
    assertThat(again.view().table().epoch()).isGreaterThanOrEqualTo(before.epoch());
    gateway("g1", ports, 1);
    again.register("one-more", Admission.UNKNOWN);
    await().atMost(SOON).until(() -> again.view().table().hosts().size() == 13);
    assertThat(again.view().table().epoch()).isGreaterThan(before.epoch());
  }

  @Test
  void twoGatewaysOfOneIdAndABusyPortAreErrorsThatSayWhatToDo() throws IOException {
    List<Integer> ports = FreePorts.take(2);
    gateway("g1", ports, 0);
    assertThatThrownBy(() -> gateway("g1", ports, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("id g1")
        .hasMessageContaining("choose another");
    assertThatThrownBy(() -> gateway("g2", ports, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "port "
                + ports.getFirst()
                + " on 127.0.0.1 is in use; choose another with"
                + " cluster.port");
  }

  @Test
  void anAddressOfAnotherMachineIsAnErrorThatNamesIt() {
    for (String host : List.of("192.0.2.1", "no-such-host.invalid")) {
      assertThatThrownBy(
              () ->
                  ClusterMember.join(
                      new ClusterSettings("elsewhere", host, 5701, List.of("127.0.0.1:1"), 1),
                      Optional.empty(),
                      ClusterKey.NONE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(host)
          .hasMessageContaining("cluster.host");
    }
  }

  @Test
  void aReaderWithoutASetPortTakesTheNextFreeOne() throws IOException {
    List<Integer> ports = FreePorts.take(1);
    ClusterMember g1 = gateway("g1", ports, 0);
    int taken = ports.getFirst();
    ClusterMember reader =
        ClusterMember.join(
            new ClusterSettings(
                "test-" + taken, "127.0.0.1", taken, false, List.of("127.0.0.1:" + taken), 1),
            Optional.empty(),
            ClusterKey.NONE);
    members.add(reader);
    assertThat(reader.hazelcast().getCluster().getLocalMember().getAddress().getPort())
        .isGreaterThan(taken);
    await().atMost(SOON).until(() -> reader.view().gateways().equals(g1.view().gateways()));
  }

  private ClusterMember gateway(String id, List<Integer> ports, int index) {
    URI address = URI.create("http://127.0.0.1:" + (9000 + index));
    ClusterMember member =
        join(
            ports,
            index,
            Optional.of(new ClusterMember.Gateway(id, address, "", folder.resolve(id))));
    member.activate();
    return member;
  }

  private ClusterMember join(
      List<Integer> ports, int index, Optional<ClusterMember.Gateway> gateway) {
    return join(ports, index, gateway, ClusterKey.NONE);
  }

  private ClusterMember join(
      List<Integer> ports, int index, Optional<ClusterMember.Gateway> gateway, ClusterKey key) {
    List<String> all = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    ClusterMember member =
        ClusterMember.join(
            new ClusterSettings("test-" + ports.getFirst(), "127.0.0.1", ports.get(index), all, 1),
            gateway,
            key);
    members.add(member);
    return member;
  }
}

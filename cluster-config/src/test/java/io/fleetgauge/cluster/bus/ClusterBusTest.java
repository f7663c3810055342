package io.fleetgauge.cluster.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.cluster.bus.MessageForm.Envelope;
import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.cluster.member.ClusterMember;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.runtime.FreePorts;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.vertx.core.Vertx;
import io.vertx.junit5.Timeout;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Real members and a real event bus over loopback. */
@Tag("slow")
@ExtendWith(VertxExtension.class)
@Timeout(120_000)
class ClusterBusTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final String SECRET = "the secret of this cluster";

  @TempDir private Path folder;
  private final List<Integer> ports = FreePorts.take(6);
  private final List<AutoCloseable> started = new ArrayList<>();
  private int joined;

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : started.reversed()) {
      each.close();
    }
  }

  private ClusterMember join(Optional<String> gateway) {
    int index = joined++;
    List<String> some = ports.subList(0, 3).stream().map(port -> "127.0.0.1:" + port).toList();
    ClusterMember member =
        ClusterMember.join(
            new ClusterSettings("test-" + ports.getFirst(), "127.0.0.1", ports.get(index), some, 1),
            gateway.map(
                id ->
                    new ClusterMember.Gateway(
                        id,
                        URI.create("http://127.0.0.1:" + ports.get(index)),
                        "",
                        folder.resolve(id))),
            ClusterKey.NONE);
    started.add(member);
    return member;
  }

  private ClusterBus connect(ClusterMember member, String name, String secret) {
    ClusterBus bus =
        ClusterBus.startWith(
            member.hazelcast(), "127.0.0.1", name, ClusterKey.of(() -> List.of(secret)));
    started.add(bus);
    return bus;
  }

  private ClusterBus gateway() {
    return connect(join(Optional.of("g1")), "g1", SECRET);
  }

  private ClusterBus queryApi(String name) {
    return connect(join(Optional.empty()), name, SECRET);
  }

  @Test
  void aChangedTableAndChangedTenantsMakeTheOthersPoll() {
    ClusterBus gateway = gateway();
    ClusterBus api = queryApi("q1");
    List<Long> epochs = new CopyOnWriteArrayList<>();
    AtomicInteger looks = new AtomicInteger();
    api.onTableChanged(epochs::add);
    gateway.onTenantsChanged(looks::incrementAndGet);
    await()
        .atMost(SOON)
        .until(
            () -> {
              gateway.tableChanged(epochs.size() + 65_536L * (looks.get() + 1));
              api.tenantsChanged();
              return !epochs.isEmpty() && looks.get() > 0;
            });
  }

  @Test
  void aChangedTenantsFileMakesTheOthersReadTheirs(Vertx vertx) throws Exception {
    Guard guard = guard(vertx);
    ClusterMember member = join(Optional.of("g1"));
    ClusterBus gateway = connect(member, "g1", SECRET);
    ClusterBus api = queryApi("q1");
    AtomicInteger looks = new AtomicInteger();
    api.onTenantsChanged(looks::incrementAndGet);
    gateway.exchangeHints(member, guard);
    await().until(() -> gateway.isConnected() && api.isConnected());
    AtomicInteger changes = new AtomicInteger();
    await()
        .atMost(SOON)
        .until(
            () -> {
              // The bus may not know yet who listens.
              tenants(changes.incrementAndGet());
              guard.look();
              return looks.get() > 0;
            });
  }

  /** This one would not look by itself before the test ends. */
  @Test
  void whoeverIsToldThatTenantsChangedReadsItsOwnFile(Vertx vertx) throws Exception {
    Guard guard = guard(withoutTurns(vertx));
    AtomicInteger read = new AtomicInteger();
    guard.onTenantsChange(read::incrementAndGet);
    ClusterMember member = join(Optional.of("g1"));
    ClusterBus gateway = connect(member, "g1", SECRET);
    ClusterBus api = queryApi("q1");
    gateway.exchangeHints(member, guard);
    tenants(1);
    await()
        .atMost(SOON)
        .until(
            () -> {
              api.tenantsChanged();
              return read.get() > 0;
            });
  }

  @Test
  void whoeverSeesANewTableTellsTheOthersItsEpoch(Vertx vertx) throws Exception {
    ClusterMember member = join(Optional.of("g1"));
    ClusterBus gateway = connect(member, "g1", SECRET);
    ClusterBus api = queryApi("q1");
    List<Long> epochs = new CopyOnWriteArrayList<>();
    api.onTableChanged(epochs::add);
    gateway.exchangeHints(member, guard(vertx));
    await().until(() -> gateway.isConnected() && api.isConnected());
    member.activate();
    AtomicInteger hosts = new AtomicInteger();
    await()
        .atMost(SOON)
        .until(
            () -> {
              member.register("n" + hosts.incrementAndGet(), Holders.Admission.UNKNOWN);
              return epochs.contains(member.view().table().epoch());
            });
  }

  private void tenants(int token) throws IOException {
    Files.writeString(
        folder.resolve("tenants.yaml"),
        "tenants: {a: {tokens: {t: {sha256: %064x, rights: [read]}}}}".formatted(token));
  }

  private Guard guard(Vertx vertx) throws Exception {
    tenants(0);
    return Guard.open(
        vertx,
        new HttpSettings("127.0.0.1", 0),
        Optional.of(folder.resolve("tenants.yaml")),
        TrustSettings.NONE,
        TenantLimits.DEFAULT,
        scope -> "",
        System::currentTimeMillis);
  }

  /** What happens at intervals never happens. */
  private static Vertx withoutTurns(Vertx vertx) {
    return (Vertx)
        Proxy.newProxyInstance(
            Vertx.class.getClassLoader(),
            new Class<?>[] {Vertx.class},
            (proxy, method, arguments) ->
                method.getName().equals("setPeriodic") ? 0L : method.invoke(vertx, arguments));
  }

  @Test
  void garbageAndMessagesWithoutTheSecretAreCountedAndChangeNothing() {
    gateway();
    ClusterBus api = queryApi("q1");
    AtomicInteger looks = new AtomicInteger();
    api.onTenantsChanged(looks::incrementAndGet);
    ClusterBus rogue = connect(join(Optional.empty()), "rogue", "another secret entirely");
    await().atMost(SOON).until(() -> api.isConnected() && rogue.isConnected());
    byte[] unsigned =
        MessageForm.toBytes(
            new Envelope(1, 1, System.currentTimeMillis(), new BusMessage.TenantsChanged()));
    await()
        .atMost(SOON)
        .until(
            () -> {
              rogue.tenantsChanged();
              rogue.publish(unsigned);
              rogue.publish(new byte[] {1, 2, 3});
              rogue.publish(new byte[Inbox.MAX_BYTES + 1]);
              Map<String, Long> rejected = api.counts().rejected();
              return rejected.get("unproven") >= 3 && rejected.get("too_long") > 0;
            });
    assertThat(api.counts().received()).isZero();
    assertThat(looks).hasValue(0);
  }

  @Test
  void theBusIsRepairedWhenAGatewayComesBackAfterAllWereGone() throws Exception {
    ClusterMember only = join(Optional.of("g1"));
    ClusterBus first = queryApi("q1");
    ClusterBus second = queryApi("q2");
    await().atMost(SOON).until(() -> first.isConnected() && second.isConnected());
    only.close();
    ClusterBus gateway = connect(join(Optional.of("g2")), "g2", SECRET);
    AtomicInteger looks = new AtomicInteger();
    AtomicInteger otherLooks = new AtomicInteger();
    first.onTenantsChanged(looks::incrementAndGet);
    second.onTenantsChanged(otherLooks::incrementAndGet);
    await()
        .atMost(SOON)
        .until(
            () -> {
              gateway.tenantsChanged();
              return looks.get() > 0 && otherLooks.get() > 0;
            });
  }
}

package io.fleetgauge.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.runtime.FreePorts;
import io.fleetgauge.runtime.config.ConsulApi;
import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.config.DiscoverySettings.Source;
import io.fleetgauge.runtime.discovery.Discovery;
import io.fleetgauge.runtime.discovery.NameServer;
import io.fleetgauge.runtime.discovery.ReplayedApi;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real members of Hazelcast, whose addresses only discovery tells: they come, go, start apart, and
 * start while nobody answers.
 */
@Tag("slow")
@ExtendWith(VertxExtension.class)
class DiscoveredMembersTest {
  /** How soon the cluster follows a change, as the documentation says. */
  private static final Duration WITHIN = Duration.ofMinutes(10);

  private static final String HOST = "127.0.0.1";
  private static final String A = "a";
  private static final String B = "b";
  private static final String C = "c";

  @TempDir private Path folder;

  /** The default, where a test does not say otherwise. */
  private Duration refresh = Duration.ofSeconds(5);

  private Vertx vertx;
  private Map<String, Integer> ports;
  private Source source;
  private final Map<String, Discovery> discoveries = new LinkedHashMap<>();
  private final Map<String, ClusterMember> members = new LinkedHashMap<>();
  private final List<AutoCloseable> servers = new ArrayList<>();

  @BeforeEach
  void start(Vertx loops) throws Exception {
    vertx = loops;
    List<Integer> free = FreePorts.take(3);
    ports = Map.of(A, free.get(0), B, free.get(1), C, free.get(2));
  }

  @AfterEach
  void stop() throws Exception {
    List.copyOf(members.keySet()).reversed().forEach(this::leave);
    for (AutoCloseable server : servers) {
      server.close();
    }
  }

  private void join(String id) {
    ClusterSettings settings =
        new ClusterSettings(
            "discovered",
            HOST,
            ports.get(id),
            true,
            List.of(),
            Optional.of(
                new DiscoverySettings(
                    DiscoverySettings.OF_MEMBERS,
                    source,
                    refresh,
                    Duration.ofSeconds(1),
                    Optional.of(folder.resolve("cache-" + id)),
                    1_000,
                    1 << 20,
                    false)),
            1);
    Discovery discovery =
        Discovery.ofMembers(
            vertx,
            settings.discovery().orElseThrow(),
            settings.members(),
            System::currentTimeMillis,
            new Meters("test"));
    discoveries.put(id, discovery);
    members.put(
        id,
        ClusterMember.join(
            settings,
            discovery::addresses,
            Optional.of(
                new ClusterMember.Gateway(
                    id, URI.create("http://127.0.0.1:9500"), "", folder.resolve(id))),
            ClusterKey.NONE));
  }

  private void leave(String id) {
    members.remove(id).close();
    discoveries.remove(id).close();
  }

  private void awaitAll(String... ids) {
    assertThat(members.keySet()).containsExactlyInAnyOrder(ids);
    await()
        .atMost(WITHIN)
        .untilAsserted(
            () ->
                assertThat(members.values())
                    .allSatisfy(
                        member ->
                            assertThat(member.view().gateways().keySet())
                                .containsExactlyInAnyOrder(ids)));
  }

  /** How a test tells which members there are; nobody when there are none. */
  @FunctionalInterface
  private interface Publisher {
    void publish(List<String> ids) throws Exception;
  }

  private void followsAndSurvives(Publisher discovered, AutoCloseable away) throws Exception {
    discovered.publish(List.of(A));
    join(A);
    // B does not hear of A, so it begins a cluster of its own.
    discovered.publish(List.of(B));
    join(B);
    assertThat(discoveries.get(B).addresses()).containsExactly(HOST + ":" + ports.get(B));
    discovered.publish(List.of(A, B));
    awaitAll(A, B);
    discovered.publish(List.of(A, B, C));
    join(C);
    awaitAll(A, B, C);
    leave(C);
    discovered.publish(List.of(A, B));
    awaitAll(A, B);
    away.close();
    // Nobody answers: the addresses of the last run lead to the others.
    join(C);
    awaitAll(A, B, C);
  }

  @Test
  void membersFollowDnsAndSurviveItsAbsence() throws Exception {
    NameServer dns = new NameServer(folder);
    servers.add(dns);
    dns.start(List.of());
    source = new Source.Services(List.of("_members._tcp.test"), Optional.of(dns.address()));
    followsAndSurvives(
        ids ->
            dns.start(
                List.of(HOST + " gateway.test"),
                ids.stream()
                    .map(id -> "--srv-host=_members._tcp.test,gateway.test," + ports.get(id))
                    .toArray(String[]::new)),
        dns::stop);
  }

  @Test
  void membersFollowConsulAndSurviveItsAbsence() throws Exception {
    refresh = Duration.ofSeconds(2);
    ReplayedApi api = ReplayedApi.plain(vertx);
    source =
        new Source.Consul(
            new ConsulApi(
                api.address(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty()),
            "gateway",
            List.of(),
            1);
    followsAndSurvives(
        ids ->
            api.answers(
                200,
                ids.stream()
                    .map(
                        id ->
                            """
                            {"Node": {"Address": "10.9.9.9"},
                             "Service": {"Address": "%s", "Port": %d},
                             "Checks": [{"Status": "passing"}]}
                            """
                                .formatted(HOST, ports.get(id)))
                    .collect(Collectors.joining(",", "[", "]"))),
        api);
  }

  @Test
  void membersFollowKubernetesAndSurviveItsAbsence() throws Exception {
    refresh = Duration.ofSeconds(2);
    ReplayedApi api = ReplayedApi.plain(vertx);
    source =
        new Source.Kubernetes(
            api.address(),
            Optional.of("fleetgauge"),
            "gateway",
            Optional.of("members"),
            1,
            true,
            folder.resolve("token"),
            folder.resolve("ca.crt"),
            folder.resolve("namespace"));
    followsAndSurvives(
        ids ->
            api.answers(
                200,
                ids.stream()
                    .map(
                        id ->
                            """
                            {"addressType": "IPv4", "endpoints": [{"addresses": ["%s"]}],
                             "ports": [{"name": "members", "port": %d}]}
                            """
                                .formatted(HOST, ports.get(id)))
                    .collect(
                        Collectors.joining(
                            ",", "{\"kind\": \"EndpointSliceList\", \"items\": [", "]}"))),
        api);
  }
}

package io.fleetgauge.cluster.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.cluster.FreePorts;
import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.cluster.config.discovery.ConsulApi;
import io.fleetgauge.cluster.config.discovery.DiscoverySettings;
import io.fleetgauge.cluster.config.discovery.DiscoverySettings.Source;
import io.fleetgauge.cluster.member.ClusterMember;
import io.fleetgauge.cluster.process.Meters;
import io.fleetgauge.cluster.trust.ClusterKey;
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
 * Real members of Hazelcast, on loopback addresses that only discovery tells them: they come, go,
 * start apart, and start while nobody answers.
 */
@Tag("slow")
@ExtendWith(VertxExtension.class)
class DiscoveredMembersTest {
  private static final Duration REFRESH = Duration.ofSeconds(5);

  /** How soon the cluster follows a change, as the documentation says. */
  private static final Duration WITHIN = Duration.ofSeconds(10);

  private static final String A = "127.0.0.2";
  private static final String B = "127.0.0.3";
  private static final String C = "127.0.0.4";

  @TempDir private Path folder;
  private Vertx vertx;
  private int port;
  private Source source;
  private final Map<String, Discovery> discoveries = new LinkedHashMap<>();
  private final Map<String, ClusterMember> members = new LinkedHashMap<>();
  private final List<AutoCloseable> servers = new ArrayList<>();

  @BeforeEach
  void start(Vertx loops) throws Exception {
    vertx = loops;
    port = FreePorts.take(1).getFirst();
  }

  @AfterEach
  void stop() throws Exception {
    List.copyOf(members.keySet()).reversed().forEach(this::leave);
    for (AutoCloseable server : servers) {
      server.close();
    }
  }

  private void join(String host) {
    ClusterSettings settings =
        new ClusterSettings(
            "discovered",
            host,
            port,
            true,
            List.of(),
            Optional.of(
                new DiscoverySettings(
                    DiscoverySettings.OF_MEMBERS,
                    source,
                    REFRESH,
                    Duration.ofSeconds(1),
                    Optional.of(folder.resolve("cache-" + host)),
                    1_000,
                    1 << 20,
                    false)),
            1);
    Discovery discovery =
        Discovery.ofMembers(vertx, settings, System::currentTimeMillis, new Meters("test"))
            .orElseThrow();
    discoveries.put(host, discovery);
    members.put(
        host,
        ClusterMember.join(
            settings,
            discovery::addresses,
            Optional.of(
                new ClusterMember.Gateway(
                    host, URI.create("http://" + host + ":9500"), "", folder.resolve(host))),
            ClusterKey.NONE));
  }

  private void leave(String host) {
    members.remove(host).close();
    discoveries.remove(host).close();
  }

  private void awaitAll(String... hosts) {
    assertThat(members.keySet()).containsExactlyInAnyOrder(hosts);
    await()
        .atMost(WITHIN)
        .untilAsserted(
            () ->
                assertThat(members.values())
                    .allSatisfy(
                        member ->
                            assertThat(member.view().gateways().keySet())
                                .containsExactlyInAnyOrder(hosts)));
  }

  /** How a test tells which members there are; nobody when there are none. */
  @FunctionalInterface
  private interface Publisher {
    void publish(List<String> hosts) throws Exception;
  }

  private void followsAndSurvives(Publisher discovered, AutoCloseable away) throws Exception {
    discovered.publish(List.of(A));
    join(A);
    // B does not hear of A, so it begins a cluster of its own; A hears of B soon after.
    discovered.publish(List.of(B));
    join(B);
    assertThat(members.get(B).view().gateways().keySet()).containsExactly(B);
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
    source = new Source.Addresses(List.of("gateways.test"), port, Optional.of(dns.address()));
    followsAndSurvives(
        hosts -> dns.hosts(hosts.stream().map(host -> host + " gateways.test").toList()),
        dns::stop);
  }

  @Test
  void membersFollowConsulAndSurviveItsAbsence() throws Exception {
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
            port);
    followsAndSurvives(
        hosts ->
            api.answers(
                200,
                hosts.stream()
                    .map(
                        host ->
                            """
                            {"Node": {"Address": "10.9.9.9"},
                             "Service": {"Address": "%s", "Port": %d},
                             "Checks": [{"Status": "passing"}]}
                            """
                                .formatted(host, port))
                    .collect(Collectors.joining(",", "[", "]"))),
        api);
  }

  @Test
  void membersFollowKubernetesAndSurviveItsAbsence() throws Exception {
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
        hosts ->
            api.answers(
                200,
                """
                {"kind": "EndpointSliceList", "items": [{"addressType": "IPv4",
                 "endpoints": [%s], "ports": [{"name": "members", "port": %d}]}]}
                """
                    .formatted(
                        hosts.stream()
                            .map("{\"addresses\": [\"%s\"]}"::formatted)
                            .collect(Collectors.joining(",")),
                        port)),
        api);
  }
}

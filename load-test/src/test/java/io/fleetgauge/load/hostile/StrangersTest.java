package io.fleetgauge.load.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.sun.net.httpserver.HttpServer;
import io.fleetgauge.load.fleet.LaunchedProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that do not belong to the cluster try to take part in it. */
class StrangersTest {
  private static final Duration SOON = Duration.ofMinutes(10);

  @TempDir Path folder;

  @Test
  void oneThatKnowsOnlyTheClustersNameIsSentNothing() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    HttpServer listener =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
    listener.createContext(
        "/",
        exchange -> {
          requests.incrementAndGet();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    listener.start();
    try (ProcessCluster cluster = new ProcessCluster(folder)) {
      LaunchedProcess first = cluster.gateway(0, cluster.rightSecret());
      first.awaitOutput("is in cluster");
      HazelcastInstance rogue =
          Hazelcast.newHazelcastInstance(
              rogue(cluster, "http://127.0.0.1:" + listener.getAddress().getPort()));
      try {
        first.awaitOutput("it is no member of a Fleetgauge cluster");
        String session = rogue.getCluster().getLocalMember().getUuid().toString();
        rogue.getMap("fleetgauge.active").put("rogue", session);
        cluster.gateway(1, cluster.rightSecret()).awaitOutput("is in cluster");
        cluster.query();
        cluster.probe();
        awaitSamples(cluster);
        assertThat(rogue.getCluster().getMembers()).hasSize(1);
        assertThat(requests).hasValue(0);
        assertThat(first.output().split("it is no member of", -1)).as("logged once").hasSize(2);
        ClientConfig client = new ClientConfig().setClusterName(cluster.name);
        client.getNetworkConfig().addAddress("127.0.0.1:" + cluster.members.getFirst());
        client
            .getConnectionStrategyConfig()
            .getConnectionRetryConfig()
            .setClusterConnectTimeoutMillis(1_000);
        assertThatThrownBy(() -> HazelcastClient.newHazelcastClient(client))
            .isInstanceOf(IllegalStateException.class);
      } finally {
        rogue.shutdown();
      }
    } finally {
      listener.stop(0);
    }
  }

  private static Config rogue(ProcessCluster cluster, String address) {
    Config config = new Config().setClusterName(cluster.name);
    // Settings that all members must have in common, so that it is not refused for those.
    config.setProperty("hazelcast.partition.count", "31");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    Map.of("fleetgauge.gateway", "rogue", "fleetgauge.address", address, "fleetgauge.zone", "")
        .forEach(config.getMemberAttributeConfig()::setAttribute);
    config.getNetworkConfig().setPort(cluster.members.getLast()).setPublicAddress("127.0.0.1");
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).addMember("127.0.0.1:" + cluster.members.getFirst());
    return config;
  }

  private static void awaitSamples(ProcessCluster cluster) {
    await()
        .atMost(SOON)
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(cluster.client().values("count by (Hostname) (node_load1)", "Hostname"))
                    .containsEntry("n1", 1.0));
  }

  @Test
  void aGatewayWithAnotherSecretOrNoneEndsAndSaysWhy() throws Exception {
    try (ProcessCluster cluster = new ProcessCluster(folder)) {
      LaunchedProcess right = cluster.gateway(0, cluster.rightSecret());
      right.awaitOutput("is in cluster");
      LaunchedProcess other = cluster.gateway(1, cluster.secret("other", "fedcba9876543210"));
      assertThat(other.exitCode()).as(other.output()).isEqualTo(1);
      assertThat(other.output())
          .contains(
              "127.0.0.1:" + cluster.members.getFirst(),
              "it has another cluster secret than this process",
              "cluster.secretFile")
          .doesNotContain("\tat ");
      LaunchedProcess none = cluster.gateway(1, "");
      assertThat(none.exitCode()).as(none.output()).isEqualTo(1);
      assertThat(none.output())
          .contains("it has a cluster secret, and this process has none", "cluster.secretFile")
          .doesNotContain("\tat ");
      assertThat(right.output())
          .contains("a connection from 127.0.0.1 is ignored: it has another cluster secret")
          .doesNotContain("\tat ");
    }
  }

  @Test
  void aTakenPortIsOnePlainError() throws Exception {
    try (ProcessCluster cluster = new ProcessCluster(folder);
        ServerSocket taken = listen(cluster.members.getFirst())) {
      LaunchedProcess gateway = cluster.gateway(0, cluster.rightSecret());
      assertThat(gateway.exitCode()).as(gateway.output()).isEqualTo(1);
      assertThat(gateway.output())
          .contains(
              "port "
                  + taken.getLocalPort()
                  + " on 127.0.0.1 is in use; choose another with cluster.port")
          .doesNotContain("\tat ")
          .doesNotContain("Exception");
    }
  }

  private static ServerSocket listen(int port) throws IOException {
    return new ServerSocket(port); // on all addresses
  }
}

package io.fleetgauge.load.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.load.fleet.LaunchedProcess;
import io.fleetgauge.load.fleet.QueryClient;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.sample.Labels;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes of the release before and of this one, in one cluster, while it is upgraded one by one.
 *
 * <p>The release before is installed in the folder that {@code fleetgauge.release.before} names.
 */
@EnabledIfSystemProperty(
    named = "fleetgauge.release.before",
    matches = ".+",
    disabledReason = "it takes minutes and an installed release; see CONTRIBUTING")
class MixedReleasesTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final int HOSTS = 6;
  private static final String QUERY =
      "sum by (rack) (m_mixed) + 0 * sum by (rack) (count_over_time(m_mixed[5m]))";

  @TempDir private Path folder;
  private final AtomicBoolean goesOn = new AtomicBoolean(true);
  private final AtomicLong asked = new AtomicLong();
  private final ConcurrentLinkedQueue<String> failed = new ConcurrentLinkedQueue<>();

  private static void write(ProcessCluster cluster, int gateway, long time) throws Exception {
    RemoteWriteBody body = RemoteWriteBody.v1();
    for (int host = 0; host < HOSTS; host++) {
      body.series(
          Labels.of("__name__", "m_mixed", "Hostname", "n" + host, "rack", "r" + host % 2),
          time,
          host + 1);
    }
    cluster.write(gateway, body);
  }

  /** Names the error in the answer to the query; empty if it is the right one and complete. */
  private static String problem(QueryClient client) throws Exception {
    JsonNode answer = client.query(QUERY);
    boolean isRight =
        answer.path("status").asText().equals("success")
            && answer.path("warnings").isEmpty()
            && answer.path("data").path("result").size() == 2;
    for (JsonNode each : answer.path("data").path("result")) {
      String expected = each.path("metric").path("rack").asText().equals("r0") ? "9" : "12";
      isRight &= each.path("value").path(1).asText().equals(expected);
    }
    return isRight ? "" : answer.toString();
  }

  private Thread ask(ProcessCluster cluster) {
    QueryClient client = cluster.client();
    return Thread.ofPlatform()
        .start(
            () -> {
              while (goesOn.get()) {
                try {
                  String problem = problem(client);
                  if (!problem.isEmpty()) {
                    failed.add(problem);
                  }
                  asked.incrementAndGet();
                } catch (Exception e) {
                  failed.add(e.toString());
                }
              }
            });
  }

  @Test
  void aClusterIsUpgradedGatewayByGatewayWithoutAFailedQuery() throws Exception {
    try (ProcessCluster cluster = new ProcessCluster(folder)) {
      ProcessCluster.Launcher before =
          cluster.release(Path.of(System.getProperty("fleetgauge.release.before")));
      LaunchedProcess first = cluster.gateway(0, cluster.rightSecret(), before);
      LaunchedProcess second = cluster.gateway(1, cluster.rightSecret(), before);
      first.awaitOutput("is in cluster");
      second.awaitOutput("is in cluster");
      // Query APIs are upgraded first.
      cluster.query().awaitOutput("query API at");
      for (int i = 0; i < 4; i++) {
        write(cluster, i % 2, System.currentTimeMillis() - 20_000 + 5_000 * i);
      }
      await()
          .atMost(SOON)
          .untilAsserted(() -> assertThat(problem(cluster.client())).as("problem").isEmpty());
      Thread asking = ask(cluster);
      second = upgraded(cluster, second, 1);
      first = upgraded(cluster, first, 0);
      goesOn.set(false);
      asking.join();
      assertThat(failed).as("of %d queries", asked.get()).isEmpty();
      assertThat(asked.get()).isGreaterThan(10);
      assertThat(first.process.isAlive() && second.process.isAlive()).isTrue();
    }
  }

  /** Ends a gateway and starts it in this release, when both have all hosts; writes meanwhile. */
  private static LaunchedProcess upgraded(ProcessCluster cluster, LaunchedProcess old, int place)
      throws Exception {
    await().atMost(SOON).until(() -> isReplicated(cluster));
    old.process.destroy();
    old.process.onExit().join();
    write(cluster, 1 - place, System.currentTimeMillis());
    LaunchedProcess started = cluster.gateway(place, cluster.rightSecret());
    started.awaitOutput("is in cluster");
    await().atMost(SOON).until(() -> isReplicated(cluster));
    return started;
  }

  /** Tells whether both gateways have all of every host, as the tables of both say. */
  private static boolean isReplicated(ProcessCluster cluster) throws Exception {
    for (int gateway = 0; gateway < cluster.gateways; gateway++) {
      double whole =
          ProcessCluster.metric(cluster.address(gateway), "fleetgauge_gateway_owned_hosts")
              + ProcessCluster.metric(cluster.address(gateway), "fleetgauge_gateway_synced_hosts");
      if (whole != HOSTS) {
        return false;
      }
    }
    return true;
  }
}

package io.fleetgauge.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.cluster.member.ClusterMember;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.runtime.http.MountedRoutes;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.prometheus.RemoteWriteWriter;
import io.vertx.core.json.JsonObject;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xerial.snappy.Snappy;

/** What the parts of gateways do for each other, and gateways for each other. */
@Tag("slow")
class WholeGatewayTest {
  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private final AtomicLong clock = new AtomicLong(System.currentTimeMillis());
  private final List<AutoCloseable> started = new ArrayList<>();
  private final List<Integer> ports = new ArrayList<>();

  @BeforeEach
  void choosePorts() throws Exception {
    try (ServerSocket one = new ServerSocket(0);
        ServerSocket other = new ServerSocket(0)) {
      ports.add(one.getLocalPort());
      ports.add(other.getLocalPort());
    }
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : started.reversed()) {
      each.close();
    }
    http.close();
  }

  private GatewayProcess start(String id, int port, String more) throws Exception {
    GatewayConfig config =
        GatewayConfig.read(
            "the test",
            """
            id: %s
            http: {host: 127.0.0.1, port: 0}
            store: {folder: '%s'%s}
            tenants: {file: '%s'}
            cluster:
              name: gateways-%d
              host: 127.0.0.1
              port: %d
              members: ["127.0.0.1:%d", "127.0.0.1:%d"]
              replication: 2
              secretFile: '%s'
            drainTimeout: 1m
            """
                .formatted(
                    id,
                    folder.resolve("store-" + port),
                    more,
                    MountedRoutes.tenants(folder),
                    ports.getFirst(),
                    ports.get(port),
                    ports.getFirst(),
                    ports.getLast(),
                    Files.writeString(folder.resolve("secret"), "a-secret-of-16-or-more")));
    GatewayProcess process = GatewayProcess.start(config, clock::get);
    started.add(process);
    return process;
  }

  private void close(GatewayProcess process) {
    started.remove(process);
    process.close();
  }

  private HttpResponse<String> send(HttpRequest.Builder request, String token) throws Exception {
    return http.send(
        request.header("Authorization", "Bearer " + token).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> get(GatewayProcess from, String path) throws Exception {
    return send(HttpRequest.newBuilder(from.address().resolve(path)), "operate");
  }

  private void write(GatewayProcess to, String metric) {
    Labels labels = Labels.of(Labels.NAME, metric, "Hostname", "n1");
    await()
        .until(
            () -> {
              byte[] body =
                  new RemoteWriteWriter(Version.V1).series(labels).sample(clock.get(), 1).toBytes();
              return send(
                          HttpRequest.newBuilder(to.address().resolve("/api/v1/write"))
                              .header("Content-Encoding", "snappy")
                              .POST(HttpRequest.BodyPublishers.ofByteArray(Snappy.compress(body))),
                          "write")
                      .statusCode()
                  == 204;
            });
  }

  private static Optional<Holders> holders(GatewayProcess process) {
    return process.view().table().holders("n1");
  }

  private static boolean isOnTwo(GatewayProcess process) {
    return holders(process).filter(Holders::whole).isPresent()
        && holders(process).get().copies().stream().anyMatch(Holders.Copy::synced);
  }

  @Test
  void aReplicaGetsWhatTheOwnerHasAndIsTheOwnerWhenThatLeaves() throws Exception {
    GatewayProcess first = start("g1", 0, "");
    GatewayProcess second = start("g2", 1, "");
    await().until(() -> first.view().gateways().size() == 2);
    write(first, "a");
    await().until(() -> isOnTwo(first) && second.seriesOf("n1") == 1);
    GatewayProcess owner = holders(first).orElseThrow().owner().equals("g1") ? first : second;
    GatewayProcess replica = owner == first ? second : first;
    close(owner);
    assertThat(replica.view().table().involves(owner == first ? "g1" : "g2"))
        .as("it left when nothing was on it any more")
        .isFalse();
    write(replica, "b");
    assertThat(replica.seriesOf("n1")).isEqualTo(2);
  }

  @Test
  void aGatewayWhoseDiskFailsGivesItsHostsAway() throws Exception {
    GatewayProcess first = start("g1", 0, "");
    write(first, "a");
    GatewayProcess second = start("g2", 1, "");
    await().until(() -> isOnTwo(first));
    assertThat(holders(first).orElseThrow().owner()).isEqualTo("g1");
    Files.move(folder.resolve("store-0"), folder.resolve("away"));
    await().until(() -> holders(second).orElseThrow().owner().equals("g2"));
    Files.move(folder.resolve("away"), folder.resolve("store-0"));
  }

  @Test
  void aGatewayGoesOnWithItsSamplesWhenItIsStartedAgain() throws Exception {
    GatewayProcess first = start("g1", 0, "");
    write(first, "a");
    assertThatThrownBy(() -> start("g1", 0, ""))
        .as("while it runs")
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("store.folder");
    close(first);
    assertThatThrownBy(() -> start("g2", 0, ""))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("has the samples of the gateway g1");
    GatewayProcess again = start("g1", 0, "");
    await().until(() -> again.seriesOf("n1") == 1);
    write(again, "b");
    await().until(() -> again.seriesOf("n1") == 2);
  }

  @Test
  void samplesThatHaveBeenInMemoryLongEnoughAreInABlock() throws Exception {
    GatewayProcess gateway = start("g1", 0, ", memory: 30m");
    write(gateway, "a");
    clock.addAndGet(Duration.ofMinutes(80).toMillis());
    write(gateway, "a");
    await().until(() -> get(gateway, "/metrics").body().contains("_blocks_written_total 1.0"));
  }

  @Test
  void aHostThatAnOperatorRemovesIsGone() throws Exception {
    GatewayProcess gateway = start("g1", 0, "");
    write(gateway, "a");
    HttpRequest.Builder removal =
        HttpRequest.newBuilder(gateway.address().resolve("/v1/hosts/n1/removal?force=1"))
            .POST(HttpRequest.BodyPublishers.noBody());
    assertThat(send(removal, "operate").statusCode()).isEqualTo(202);
    await().until(() -> holders(gateway).isEmpty() && gateway.seriesOf("n1") == 0);
    JsonObject status = new JsonObject(get(gateway, "/v1/status/cluster").body());
    assertThat(status.getJsonObject("cluster").getLong("tableAgeMillis"))
        .as("how long the table is as it is")
        .isNotNegative();
  }

  /** The owner is in the cluster, and sends nothing. */
  @Test
  void itIsReadyAndSaysThatItsReplicasAreNotWhole() throws Exception {
    String seed = "127.0.0.1:" + ports.getLast();
    ClusterMember owner =
        ClusterMember.join(
            new ClusterSettings(
                "gateways-" + ports.getFirst(), "127.0.0.1", ports.getLast(), List.of(seed), 2),
            Optional.of(
                new ClusterMember.Gateway(
                    "g0", URI.create("http://127.0.0.1:1"), "", folder.resolve("table"))),
            ClusterKey.of(() -> List.of("a-secret-of-16-or-more")));
    started.add(owner);
    owner.register("n1", Holders.Admission.UNKNOWN);
    owner.activate();
    await().until(() -> owner.view().table().owner("n1").isPresent());
    GatewayProcess gateway = start("g1", 0, "");
    await().until(() -> get(gateway, "/-/ready").statusCode() == 200);
    await()
        .until(
            () ->
                get(gateway, "/-/ready?replicas=whole")
                    .body()
                    .contains("are not yet fully replicated"));
    close(gateway);
  }
}

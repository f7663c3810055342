package io.fleetgauge.load.hostile;

import static io.fleetgauge.load.hostile.ProcessCluster.metric;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.load.fleet.LaunchedProcess;
import io.fleetgauge.load.fleet.QueryClient;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The disk of one gateway of three is full, and is not any more. */
@Timeout(600)
class FullDiskTest {
  private static final int HOSTS = 9;
  private static final Duration SOON = Duration.ofMinutes(10);

  @TempDir private Path folder;

  @Test
  void theOthersTakeOverItsHostsAndNothingIsLost() throws Exception {
    try (SmallDisk disk = new SmallDisk(folder.resolve("store-0"));
        ProcessCluster cluster = new ProcessCluster(folder, 3)) {
      Vertx vertx = Vertx.vertx();
      List<Sender> senders = new ArrayList<>();
      try {
        List<LaunchedProcess> gateways = cluster.startGateways();
        cluster.query();
        List<URI> addresses = IntStream.range(0, 3).mapToObj(cluster::address).toList();
        for (int i = 0; i < HOSTS; i++) {
          senders.add(new Sender(vertx, "n" + i, addresses, i));
        }
        vertx.setPeriodic(500, id -> senders.forEach(Sender::read));
        QueryClient client = cluster.client();
        awaitFresh(client);
        assertThat(owned(cluster)).as("hosts of the first gateway").isPositive();

        disk.fill();
        await()
            .atMost(SOON)
            .ignoreExceptions()
            .untilAsserted(() -> assertThat(status(cluster, 0, "/-/ready")).isEqualTo(503));
        awaitFresh(client);
        await().atMost(SOON).ignoreExceptions().until(() -> owned(cluster) == 0);
        assertThat(gateways.get(0).output()).contains("the disk fails");

        disk.empty();
        await()
            .atMost(SOON)
            .ignoreExceptions()
            .untilAsserted(() -> assertThat(status(cluster, 0, "/-/ready")).isEqualTo(200));
        await().atMost(SOON).ignoreExceptions().until(() -> owned(cluster) > 0);
        awaitFresh(client);

        long end = System.currentTimeMillis();
        await()
            .atMost(SOON)
            .ignoreExceptions()
            .untilAsserted(
                () -> {
                  for (Sender each : senders) {
                    assertThat(samples(client, each.host, end)).isEqualTo(each.until(end));
                    assertThat(each.uplink.counts().dropped()).isZero();
                    assertThat(each.uplink.counts().refused()).isZero();
                  }
                });
        assertThat(metric(cluster.address(0), "fleetgauge_gateway_disk_trouble")).isZero();
      } finally {
        senders.forEach(each -> each.uplink.close());
        vertx.close().await(120, TimeUnit.SECONDS);
      }
    }
  }

  /** A host that reads a value each half second, and what it has read. */
  private static final class Sender {
    final String host;
    final Uplink uplink;
    private final Labels labels;
    private final Map<Long, Double> read = new ConcurrentSkipListMap<>();

    Sender(Vertx vertx, String host, List<URI> gateways, long seed) {
      this.host = host;
      this.labels = Labels.of(Labels.NAME, "value", "Hostname", host);
      UplinkSettings settings =
          new UplinkSettings(Duration.ofHours(1), 64L << 20, Duration.ofDays(1), 0);
      this.uplink = new Uplink(vertx, host, gateways, settings, Optional.empty(), seed);
    }

    void read() {
      long time = System.currentTimeMillis();
      double value = read.size();
      read.put(time, value);
      uplink.offer(new Tick(time, List.of(labels), new double[] {value}));
    }

    TreeMap<Long, Double> until(long end) {
      TreeMap<Long, Double> all = new TreeMap<>(read);
      all.tailMap(end, false).clear();
      return all;
    }
  }

  /** Each host has a sample of after now. */
  private static void awaitFresh(QueryClient client) {
    double now = System.currentTimeMillis() / 1_000.0;
    await()
        .atMost(SOON)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              Map<String, Double> times = client.values("timestamp(value)", "Hostname");
              assertThat(times).hasSize(HOSTS);
              assertThat(times.values()).allMatch(time -> time > now);
            });
  }

  private static TreeMap<Long, Double> samples(QueryClient client, String host, long end)
      throws Exception {
    TreeMap<Long, Double> samples = new TreeMap<>();
    JsonNode answer =
        client.query("value{Hostname=\"%s\"}[20m] @ %f".formatted(host, end / 1_000.0));
    for (JsonNode sample : answer.path("data").path("result").path(0).path("values")) {
      samples.put(
          Math.round(sample.path(0).asDouble() * 1_000),
          Double.parseDouble(sample.path(1).asText()));
    }
    return samples;
  }

  /** Number of hosts that the first gateway owns. */
  private static double owned(ProcessCluster cluster) throws Exception {
    return metric(cluster.address(0), "fleetgauge_gateway_owned_hosts");
  }

  private static int status(ProcessCluster cluster, int gateway, String path) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(cluster.address(gateway).resolve(path)).build(),
              HttpResponse.BodyHandlers.discarding())
          .statusCode();
    }
  }

  /** A file system of its own. */
  private static final class SmallDisk implements AutoCloseable {
    private final Path folder;

    SmallDisk(Path folder) throws Exception {
      this.folder = Files.createDirectory(folder);
      assumeTrue(
          run("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder.toString()),
          "a small file system can be mounted by root only");
    }

    /** Takes all room that is left. */
    void fill() throws IOException {
      try (var out = Files.newOutputStream(folder.resolve("junk"))) {
        byte[] some = new byte[1 << 12];
        while (true) {
          out.write(some);
        }
      } catch (IOException full) {
        assertThat(full).hasMessageContaining("No space left on device");
      }
    }

    void empty() throws IOException {
      Files.delete(folder.resolve("junk"));
    }

    private static boolean run(String... command) throws IOException {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.onExit().orTimeout(120, TimeUnit.SECONDS).join().exitValue() == 0;
    }

    @Override
    public void close() throws IOException {
      run("umount", folder.toString());
    }
  }
}

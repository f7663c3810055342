package io.fleetgauge.distribution.kubernetes.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fleetgauge.distribution.image.Asker;
import io.fleetgauge.distribution.image.Packages;
import io.fleetgauge.distribution.image.Podman;
import io.fleetgauge.distribution.image.ProcessApi;
import io.fleetgauge.distribution.kubernetes.FleetgaugeChart;
import io.fleetgauge.distribution.kubernetes.Manifests;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The chart, installed on this machine: Helm renders it, Podman runs the images exactly as the
 * Pods' templates say, each Pod in a network of its own, with a name server and Services between
 * them. {@code -Dfleetgauge.manifests.run=true} runs it where Podman, dnsmasq and images are there.
 */
@Tag("slow")
class ManifestContainersTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final String HOSTS = "count by (Hostname) (node_load1)";

  private static final String PROBE_TOKEN = "token-of-the-probes";
  private static final String READ_TOKEN = "token-that-may-read";
  private static final String OPERATE_TOKEN = "token-that-may-operate";

  /**
   * Sizes for a small machine. With a shorter tick, a busy one would find the probe silent while a
   * gateway is replaced.
   */
  private static final String VALUES =
      """
      probe:
        config: {tick: 5s}
      gateway:
        replicas: 3
        retention: %s
        maxDisk: 2GiB
        journalMaxDisk: 1GiB
        storage: {size: 4Gi}
        drainSeconds: 30
        terminationGracePeriodSeconds: 60
        resources: {requests: {cpu: 100m, memory: 256Mi}, limits: {memory: 512Mi}}
      query:
        replicas: 2
        config: {query: {timeout: %s}}
        autoscaling: {enabled: false}
        resources: {requests: {cpu: 100m, memory: 256Mi}, limits: {memory: 512Mi}}
      """;

  @TempDir private Path folder;
  private Podman podman;
  private OneNodeCluster cluster;
  private boolean passed;

  @BeforeEach
  void start() throws Exception {
    assumeTrue(
        Boolean.getBoolean("fleetgauge.manifests.run"),
        "it takes minutes: -Dfleetgauge.manifests.run=true");
    List<Path> images = new ArrayList<>();
    for (String each : List.of("probe", "gateway", "query")) {
      assumeTrue(!Packages.images(each).isEmpty(), "there is no image of the " + each);
      images.add(Packages.images(each).getFirst());
    }
    assumeTrue(!ClusterDns.program().isEmpty(), "dnsmasq is not installed (Debian: dnsmasq-base)");
    String namespaces = PodNetwork.hindrance();
    assumeTrue(namespaces.isEmpty(), namespaces);
    Podman own = new Podman(folder);
    String hindrance = own.hindrance();
    assumeTrue(hindrance.isEmpty(), hindrance);
    podman = own;
    Map<String, String> names = new TreeMap<>();
    for (Path each : images) {
      String loaded = podman.load(each);
      names.put(loaded.replaceFirst(".*/", ""), loaded);
    }
    Path driver = Files.createDirectory(folder.resolve("driver"));
    Packages.makeDriver(driver);
    cluster = new OneNodeCluster(folder, podman, names, Map.of("nvidia", Packages.driver(driver)));
  }

  @AfterEach
  void removeAll() throws Exception {
    if (podman == null) {
      return;
    }
    try {
      if (!passed) {
        System.out.println(podman.logs());
        System.out.println(cluster == null ? "" : cluster.logsOfEnded());
      }
      if (cluster != null) {
        cluster.remove();
      }
    } finally {
      podman.removeAll();
    }
  }

  @Test
  void aGatewayIsReplacedAndAllAreUpdatedWithoutAFailedQueryOrALostSample() throws Exception {
    cluster.create(withSecrets(VALUES.formatted("7d", "110s")));
    cluster.awaitReady();
    ProcessApi queries = new ProcessApi(cluster.serviceUrl("fleetgauge-query"), READ_TOKEN);
    await("the probe's samples through the Service")
        .atMost(SOON)
        .ignoreExceptions()
        .untilAsserted(() -> assertThat(queries.values(HOSTS)).containsExactly("1"));
    assertThat(queries.values("count(DCGM_FI_DEV_GPU_TEMP)")).containsExactly("2");
    assertOneCluster();
    awaitTwoCopies();
    try (Asker asker = new Asker(queries, HOSTS, List.of("1"), Duration.ofMillis(100))) {
      String owner = owner();
      String before = cluster.pod(owner).address();
      cluster.kill(owner);
      asker.awaitAnswers(10);
      cluster.replace(owner);
      cluster.awaitReady();
      assertThat(cluster.pod(owner).address()).isNotEqualTo(before);
      assertThat(asker.failures()).as("while a gateway was replaced").isEmpty();
      assertOneCluster();
      awaitTwoCopies();

      cluster.update(withSecrets(VALUES.formatted("8d", "100s")));
      asker.awaitAnswers(10);
      assertThat(asker.failures()).as("while gateways and query APIs were updated").isEmpty();
      assertOneCluster();
      assertThat(cluster.exits("fleetgauge-gateway"))
          .containsExactly(
              owner + " 137",
              "fleetgauge-gateway-2 143",
              "fleetgauge-gateway-1 143",
              "fleetgauge-gateway-0 143");
      assertThat(cluster.exits("fleetgauge-query"))
          .hasSize(2)
          .allMatch(each -> each.endsWith(" 143"));
    }
    // Unlike others, this series is in every tick, also when a busy machine reads too late.
    List<Long> seconds = queries.seconds("up{job=\"fleetgauge-probe\"}[15m]");
    assertThat(seconds).hasSizeGreaterThan(10);
    assertThat(ProcessApi.missing(seconds, 5)).as("ticks without a sample").isEmpty();
    cluster.stop(cluster.podsOf("fleetgauge-probe").getFirst().name());
    assertThat(cluster.exits("fleetgauge-probe")).containsExactly("fleetgauge-probe-0 143");
    assertThat(cluster.faults()).as("containers that the kubelet would restart").isEmpty();
    passed = true;
  }

  private Manifests withSecrets(String values) throws Exception {
    List<ObjectNode> all = new ArrayList<>(new FleetgaugeChart(folder).objects(values).objects());
    all.addAll(Manifests.of(secrets()).objects());
    return new Manifests(all);
  }

  /** As docs/install/kubernetes.md makes them. */
  private static String secrets() throws Exception {
    return """
    kind: Secret
    metadata: {name: fleetgauge-cluster}
    stringData: {secret: %s}
    ---
    kind: Secret
    metadata: {name: fleetgauge-probe-token}
    stringData: {token: %s}
    ---
    kind: Secret
    metadata: {name: fleetgauge-tenants}
    stringData:
      tenants.yaml: |
        tenants:
          probes:
            tokens:
              all: {sha256: "%s", rights: [write]}
          staff:
            tokens:
              grafana: {sha256: "%s", rights: [read]}
              operators: {sha256: "%s", rights: [read, operate]}
    """
        .formatted(
            "secret-of-the-cluster",
            PROBE_TOKEN,
            sha256(PROBE_TOKEN),
            sha256(READ_TOKEN),
            sha256(OPERATE_TOKEN));
  }

  private static String sha256(String token) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
  }

  /** Every process knows all gateways, and the gateways have found each other. */
  private void assertOneCluster() {
    await("one cluster")
        .atMost(SOON)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              for (ProcessApi each : gateways()) {
                assertThat(each.metric("fleetgauge_gateway_members")).isEqualTo(3);
              }
              for (ProcessApi each : queryApis()) {
                assertThat(each.metric("fleetgauge_query_gateways")).isEqualTo(3);
              }
            });
  }

  private void awaitTwoCopies() {
    await("the host has two copies")
        .atMost(SOON)
        .ignoreExceptions()
        .until(() -> queryApis().getFirst().metric("fleetgauge_query_hosts_on_two") == 1);
  }

  private String owner() throws Exception {
    String owner = gateways().getFirst().ownerOf("node-1");
    assertThat(owner).isNotEmpty();
    return owner;
  }

  private List<ProcessApi> gateways() {
    return apis("fleetgauge-gateway", "http");
  }

  private List<ProcessApi> queryApis() {
    return apis("fleetgauge-query", "http");
  }

  private List<ProcessApi> apis(String workload, String port) {
    Stream<RunningPod> pods = cluster.podsOf(workload).stream();
    return pods.map(
            each ->
                new ProcessApi("http://" + each.address() + ":" + each.port(port), OPERATE_TOKEN))
        .toList();
  }
}

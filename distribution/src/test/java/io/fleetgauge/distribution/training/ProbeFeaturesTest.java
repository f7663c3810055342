package io.fleetgauge.distribution.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.distribution.process.Programs;
import io.fleetgauge.probe.attribution.kubelet.FakeKubelet;
import io.fleetgauge.probe.attribution.kubelet.Messages;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Everything that the documentation of the probe names, in one packaged probe. */
@Tag("slow")
class ProbeFeaturesTest {
  private static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));
  private static final int SECONDS = 120;
  private static final Duration SOON = Duration.ofSeconds(SECONDS);
  private static final String FIRST = "GPU-aaaa0000-1111-2222-3333-444444444444";
  private static final String SECOND = "GPU-bbbb0000-1111-2222-3333-444444444444";
  private static final String THIRD = "GPU-cccc0000-1111-2222-3333-444444444444";

  @TempDir private Path folder;
  private TrainingGateway gateway;
  private Certificate certificate;
  private StandInApi apis;
  private Process worker;
  private Process nameServer;
  private Path library;
  private int memoryPort;

  @BeforeAll
  static void isBuilt() {
    PackagedProbe.assumeBuilt();
  }

  @BeforeEach
  void start() throws Exception {
    gateway = TrainingGateway.start(folder);
    certificate = Certificate.make(Files.createDirectory(folder.resolve("tls")));
    apis = new StandInApi(certificate);
    library = StandInDriver.compile(ROOT.resolve("node-probe/src/test/c/nvml_stand_in.c"), folder);
    worker = new ProcessBuilder("sleep", "1h").start();
  }

  @AfterEach
  void end() {
    worker.destroyForcibly().onExit().join();
    if (nameServer != null) {
      nameServer.destroyForcibly().onExit().join();
    }
    apis.close();
    gateway.close();
  }

  @Test
  void eachDeliversWhenAllAreSwitchedOnAtOnce() throws Exception {
    Path config = Files.writeString(folder.resolve("prüfling.yaml"), everything());
    Path log = folder.resolve("kmsg");
    Programs.run(folder, "mkfifo", log.toString());
    HttpClient client = HttpClient.newBuilder().sslContext(certificate.context()).build();
    try (FakeKubelet kubelet = new FakeKubelet(folder.resolve("kubelet.sock"));
        ServerSocketChannel docker = docker();
        PackagedProbe probe = PackagedProbe.start(config, environment(), client, "https");
        // Opened for both, a pipe waits for nobody.
        RandomAccessFile kernel = new RandomAccessFile(log.toFile(), "rw")) {
      kubelet.lists(
          Messages.pod(
              "ml",
              "train-0",
              Messages.container("main", Messages.devices("nvidia.com/gpu", FIRST))));
      assertThat(docker.isOpen()).isTrue();
      assertThat(gateway.awaitTicks(SECONDS)).as(probe.output()).isTrue();
      tellAnAllocation();
      probe.awaitMetrics(this::readsTheHost);
      probe.awaitMetrics(this::readsGpus);
      probe.awaitMetrics(this::knowsOwners);
      probe.awaitMetrics(this::knowsSlurm);
      probe.awaitMetrics(this::scrapesAndIsRegistered);
      assertThat(apis.requests())
          .contains("GET /exporter Basic YmVuOnNlY3JldA==")
          .contains("PUT /v1/agent/service/register");
      // The first answer is history: the log has to be waited for once.
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .untilAsserted(
              () -> {
                kernel.write(
                    "3,1,5,-;NVRM: Xid (PCI:0000:3c:00): 79, off\n"
                        .getBytes(StandardCharsets.US_ASCII));
                assertThat(probe.get("/v1/recent?series=node_recent_cpu_busy_ratio"))
                    .contains("\"columns\"", "\"kind\":\"xid\"", "\"xid\":79");
              });
      probe.awaitMetrics(
          page -> assertThat(page).containsPattern("gpu_xid_total\\{.*xid=\"79\".*} [1-9]"));
      assertThat(probe.get(memoryPort, "/metrics"))
          .containsPattern("used_gpu_memory\\{.*pid=\"" + worker.pid() + "\".*} 1048576");
      probe.signal("TERM");
      assertThat(probe.awaitEnd()).isEqualTo(143);
      assertThat(probe.output())
          .contains("{\"")
          .doesNotContain("\\tat ", "does not fit", "WARNING:");
    }
    assertThat(apis.requests()).anyMatch(each -> each.startsWith("PUT /v1/agent/service/dereg"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dns", "srv", "kubernetes", "consul"})
  void aGatewayIsDiscovered(String method) throws Exception {
    URI address = URI.create(gateway.address());
    String authority = folder.resolve("tls/certificate.pem").toString();
    Files.writeString(folder.resolve("token"), "0123456789abcdef0123456789abcdef");
    String source =
        switch (method) {
          case "dns" -> "names: [gateways.test.], server: \"%s\"".formatted(nameServer(address));
          case "srv" -> "names: [_gw._tcp.test.], server: \"%s\"".formatted(nameServer(address));
          case "kubernetes" ->
              "service: gw, namespace: ns, port: http, api: \"%s\", ca: %s, tokenFile: %s/token"
                  .formatted(apis.address(), authority, folder);
          default -> "service: gw, api: \"%s\", ca: %s".formatted(apis.address(), authority);
        };
    apis.put(
        "/apis/discovery.k8s.io/v1/namespaces/ns/endpointslices",
        """
        {"kind": "EndpointSliceList", "metadata": {}, "items": [{"addressType": "IPv4",
          "endpoints": [{"addresses": ["127.0.0.1"], "conditions": {"ready": true}}],
          "ports": [{"name": "http", "port": %d}]}]}
        """
            .formatted(address.getPort()));
    apis.put(
        "/v1/health/service/gw",
        """
        [{"Node": {"Address": "127.0.0.1"}, "Checks": [{"Status": "passing"}],
          "Service": {"Address": "127.0.0.1", "Port": %d}}]
        """
            .formatted(address.getPort()));
    Path config =
        Files.writeString(
            folder.resolve("probe.yaml"),
            """
            hostname: n1
            tick: 1s
            discovery: {method: %1$s, scheme: https, port: %2$d, %3$s: {%4$s}}
            trust: {ca: %5$s}
            http: {host: 127.0.0.1, port: 0}
            spool: {folder: %6$s/spool}
            gpu: {enabled: false}
            """
                .formatted(
                    method,
                    address.getPort(),
                    method.equals("srv") ? "dns" : method,
                    source,
                    gateway.authority(),
                    folder));
    try (PackagedProbe probe = PackagedProbe.start(config, Map.of())) {
      assertThat(gateway.awaitTicks(SECONDS)).as(probe.output()).isTrue();
    }
  }

  /** Starts dnsmasq, which answers for names below {@code test.}; its address. */
  private String nameServer(URI address) throws Exception {
    Path program = Path.of("/usr/sbin/dnsmasq");
    assumeThat(program).as("Debian's dnsmasq-base").isExecutable();
    int port = MemberTraining.freePorts(1).getFirst();
    nameServer =
        new ProcessBuilder(
                program.toString(),
                "--keep-in-foreground",
                "--conf-file=/dev/null",
                "--no-resolv",
                "--no-hosts",
                "--pid-file=",
                "--user=" + System.getProperty("user.name"),
                "--listen-address=127.0.0.1",
                "--bind-interfaces",
                "--port=" + port,
                "--local=/test/",
                "--address=/gateways.test/127.0.0.1",
                "--srv-host=_gw._tcp.test,localhost," + address.getPort())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("dnsmasq.log").toFile())
            .start();
    return "127.0.0.1:" + port;
  }

  @Test
  void signalsDoWhatTheyDoToAnyJavaProcess() throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("probe.yaml"),
            """
            gateways: ["http://127.0.0.1:1"]
            http: {host: 127.0.0.1, port: 0}
            spool: {folder: %s/spool}
            gpu: {enabled: false}
            """
                .formatted(folder));
    try (PackagedProbe probe = PackagedProbe.start(config, Map.of("LANG", "tr_TR.UTF-8"))) {
      probe.awaitOutput("its readings");
      probe.signal("QUIT");
      probe.awaitOutput("Full thread dump");
      assertThat(probe.get("/-/healthy")).isNotEmpty();
      // Not HUP: who runs the tests may ignore it, and then a process does, too.
      probe.signal("TERM");
      assertThat(probe.awaitEnd()).isEqualTo(143);
    }
  }

  private Map<String, String> environment() {
    return Map.of(
        "NVML_STAND_IN",
        folder.resolve("gpus").toString(),
        "PATH",
        folder + "/programs:/usr/bin:/bin",
        "TZ",
        "JST-9",
        "LABEL_OF_ZONE",
        "zone-ü");
  }

  private String everything() throws Exception {
    memoryPort = MemberTraining.freePorts(1).getFirst();
    Files.writeString(folder.resolve("gpus"), gpus());
    Files.writeString(folder.resolve("token"), "0123456789abcdef0123456789abcdef");
    Files.writeString(folder.resolve("secret"), "a-secret-of-enough-characters-for-a-cluster");
    Files.writeString(folder.resolve("user"), "ben:secret");
    Files.writeString(
        folder.resolve("gateways.yaml"),
        "[\"%s\"]".formatted(URI.create(gateway.address()).getAuthority()));
    Files.writeString(
        folder.resolve("counters.csv"),
        """
        # as dcgm-exporter's
        DCGM_FI_DEV_GPU_UTIL, gauge, GPU utilisation of the list.
        DCGM_FI_DEV_FB_USED, gauge, Memory of the list.
        DCGM_FI_DEV_POWER_USAGE, gauge, Power of the list.
        """);
    Files.writeString(
        Files.createDirectory(folder.resolve("métriques")).resolve("zähler.prom"),
        "my_metric{a=\"ü\"} 7\n");
    Files.writeString(
        Files.createDirectory(folder.resolve("mapping")).resolve("1"),
        "{\"job_id\": 4711, \"user\": \"ana\", \"account\": \"physics\"}\n");
    Path squeue = Files.createDirectory(folder.resolve("programs")).resolve("squeue");
    Files.writeString(
        squeue,
        """
        #!/bin/sh
        cat <<'END'
        {"jobs": [{"job_id": 42, "user_name": "josé", "account": "physics", "name": "train",
          "job_state": ["RUNNING"], "nodes": "n1", "tres_alloc_str": "cpu=8,gres/gpu=2"}]}
        END
        """);
    assertThat(squeue.toFile().setExecutable(true)).isTrue();
    apis.put("/exporter", "other_metric{job=\"own\"} 3\n");
    return """
    hostname: n1
    instance: 10.0.0.7
    labels: {rack: r12, zone: "${LABEL_OF_ZONE}"}
    job: probes
    relabel: [{action: replace, source_labels: [rack], target_label: row, replacement: "a-$1"}]
    tick: 1s
    ticks: {other: 1s, static: 1s, of: {node_load1: 2s}}
    http:
      host: 0.0.0.0
      port: 0
      tls: {certificate: %1$s/tls/certificate.pem, key: %1$s/tls/key.pem, clientCa: %1$s/tls/certificate.pem}
    tokenFile: %1$s/token
    trust: {ca: %2$s, certificate: %1$s/tls/certificate.pem, key: %1$s/tls/key.pem}
    cluster: {secretFile: %1$s/secret}
    spool: {folder: %1$s/spool, memory: 1m, maxMemory: 1MiB, retention: 1h, maxDisk: 10MiB}
    discovery: {method: file, file: {path: %1$s/gateways.yaml}}
    registration:
      consul:
        {enabled: true, api: "%3$s", ca: %1$s/tls/certificate.pem, tokenFile: %1$s/token, check: ttl, tags: [gpu]}
    host:
      collectors: {on: [processes]}
      textfile: {directory: %1$s/métriques}
    gpu:
      library: %4$s
      links: true
      expected: 3
      kernelLog: %1$s/kmsg
      collectors: %1$s/counters.csv
      labels: [DCGM_FI_DRIVER_VERSION]
      replaceBlanksInModelName: true
    attribution:
      owner: {tenant: physics}
      kubelet: {socket: %1$s/kubelet.sock, every: 1s, podLogs: %1$s/logs}
      allocations: {socket: %1$s/probe.sock, tokenFile: %1$s/token}
      slurm: {jobs: {enabled: true, every: 10s}, every: 1s, cgroups: false, mappingFolder: %1$s/mapping}
      processes: {port: %5$d}
      runtimes: {docker: [%1$s/docker.sock], every: 1s}
    scrape:
      other:
        url: %3$s/exporter
        userFile: %1$s/user
        labels: {more: "yes"}
        tls: {ca: %1$s/tls/certificate.pem}
    metrics: {vocabulary: dcgm-exporter-4.9}
    recent: {faults: {after: 1s}}
    log: {format: json, level: debug}
    """
        .formatted(folder, gateway.authority(), apis.address(), library, memoryPort);
  }

  private String gpus() {
    StringBuilder text = new StringBuilder("gpus 3\n");
    String[] ids = {FIRST, SECOND, THIRD};
    for (int gpu = 0; gpu < ids.length; gpu++) {
      for (String line :
          new String[] {
            "text.uuid " + ids[gpu],
            "text.name NVIDIA H100 80GB HBM3",
            "minor " + gpu,
            "gpu_percent 87",
            "total 85520809984",
            "used 1048576",
            "power 687125",
            "celsius 64",
            "gpm 1",
            "gpm.2 55.5"
          }) {
        text.append(gpu).append(' ').append(line).append('\n');
      }
    }
    text.append("2 compute_processes 1\n2 compute.0.pid ").append(worker.pid());
    return text.append("\n2 compute.0.bytes 1048576\n").toString();
  }

  /** One that has no containers. */
  private ServerSocketChannel docker() throws IOException {
    ServerSocketChannel docker = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    docker.bind(UnixDomainSocketAddress.of(folder.resolve("docker.sock")));
    byte[] answer =
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]"
            .getBytes(StandardCharsets.US_ASCII);
    Thread.ofVirtual()
        .start(
            () -> {
              while (docker.isOpen()) {
                try (SocketChannel asked = docker.accept()) {
                  asked.read(ByteBuffer.allocate(10_000));
                  asked.write(ByteBuffer.wrap(answer));
                } catch (IOException e) {
                  continue; // the probe or the test has ended
                }
              }
            });
    return docker;
  }

  private void tellAnAllocation() throws Exception {
    await()
        .atMost(SOON)
        .ignoreExceptions()
        .until(
            () ->
                Programs.run(
                        folder,
                        "curl",
                        "-sS",
                        "--unix-socket",
                        folder.resolve("probe.sock").toString(),
                        "http://localhost/v1/allocations",
                        "-d",
                        """
                        {"id": "lsf-99", "gpus": ["%s"], "owner": {"hpc_job": "99", "user": "zoë"}}
                        """
                            .formatted(THIRD))
                    .contains("lsf-99"));
  }

  private void readsTheHost(String page) {
    assertThat(page)
        .contains("node_load1{", "node_processes_state{", "node_boot_time_seconds{")
        .containsPattern("node_filesystem_size_bytes\\{.*} [1-9]")
        .containsPattern("node_time_zone_offset_seconds\\{.*time_zone=\"JST\".*} 32400")
        .containsPattern("my_metric\\{.*a=\"ü\".*zone=\"zone-ü\".*} 7")
        .contains("rack=\"r12\"", "row=\"a-", "instance=\"10.0.0.7\"");
  }

  private void readsGpus(String page) {
    assertThat(page)
        .containsPattern("DCGM_FI_DEV_GPU_UTIL\\{.*UUID=\"" + FIRST + "\".*} 87")
        .contains("# HELP DCGM_FI_DEV_GPU_UTIL GPU utilisation of the list.")
        .contains("modelName=\"NVIDIA-H100-80GB-HBM3\"")
        .doesNotContain("DCGM_FI_DEV_GPU_TEMP{")
        .containsPattern("gpu_expected\\{.*} 3")
        .containsPattern("gpu_probe_driver_responsive\\{.*} 1");
  }

  private void knowsOwners(String page) {
    assertThat(page)
        .containsPattern("gpu_allocation_info\\{(?=.*namespace=\"ml\").*pod=\"train-0\".*} 1")
        .containsPattern("gpu_attribution_up\\{.*source=\"kubelet\".*} 1")
        .containsPattern("gpu_attribution_up\\{.*source=\"[^\"]*/docker.sock\".*} 1")
        .containsPattern("gpu_allocation_info\\{(?=.*hpc_job=\"99\").*user=\"zoë\".*} 1")
        .containsPattern("gpu_process_memory_bytes\\{.*pid=\"" + worker.pid() + "\".*} 1048576");
  }

  private void knowsSlurm(String page) {
    assertThat(page)
        .containsPattern("slurm_job_info\\{(?=.*account=\"physics\").*user=\"josé\".*} 1")
        .containsPattern("slurm_jobs_up\\{.*} 1")
        .containsPattern("gpu_allocation_info\\{(?=.*hpc_job=\"4711\").*user=\"ana\".*} 1");
  }

  private void scrapesAndIsRegistered(String page) {
    assertThat(page)
        .containsPattern("other_metric\\{(?=.*exported_job=\"own\").*more=\"yes\".*} 3")
        .containsPattern("fleetgauge_probe_registered 1")
        .containsPattern("fleetgauge_probe_discovery_addresses 1");
  }
}

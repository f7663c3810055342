package io.fleetgauge.cluster.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fleetgauge.cluster.config.external.NotificationSettings;
import io.fleetgauge.cluster.config.gpu.AllocationSettings;
import io.fleetgauge.cluster.config.gpu.AttributionSettings;
import io.fleetgauge.cluster.config.gpu.DeviceChoice;
import io.fleetgauge.cluster.config.gpu.GpuSettings;
import io.fleetgauge.cluster.config.gpu.KubeletSettings;
import io.fleetgauge.cluster.config.gpu.PageSettings;
import io.fleetgauge.cluster.config.gpu.ProcessSettings;
import io.fleetgauge.cluster.config.gpu.RuntimeSettings;
import io.fleetgauge.cluster.config.gpu.SlurmSettings;
import io.fleetgauge.cluster.config.host.HostSettings;
import io.fleetgauge.cluster.config.key.ConfigException;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.journal.Journal;
import io.fleetgauge.sample.regexp.Regexp;
import io.fleetgauge.sample.relabel.RelabelAction;
import io.fleetgauge.sample.relabel.RelabelRule;
import io.fleetgauge.sample.relabel.Relabelling;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * More than 600 lines, because every key of every process is set once: what one test forgets, no
 * other has.
 */
class ConfigTest {
  private static final Relabelling NO_PODS =
      new Relabelling(
          List.of(
              new RelabelRule(
                  RelabelAction.LABELDROP,
                  List.of(),
                  ";",
                  Regexp.anchored("pod|pod_.*"),
                  0,
                  "",
                  "$1")));

  private static final LogSettings LOG =
      new LogSettings(LogSettings.Format.TEXT, LogSettings.Level.INFO);

  @Test
  void anEmptyFileIsEveryDefault() throws ConfigException {
    String host = LocalHost.name();
    ClusterSettings cluster =
        new ClusterSettings("fleetgauge", "127.0.0.1", 5701, false, List.of("127.0.0.1:5701"), 2);
    assertThat(GatewayConfig.read("f", ""))
        .isEqualTo(
            new GatewayConfig(
                host,
                new HttpSettings("0.0.0.0", 9500),
                host,
                "",
                Optional.empty(),
                TrustSettings.NONE,
                Duration.ofSeconds(25),
                cluster,
                new StoreSettings(
                    Path.of("fleetgauge-data"),
                    Duration.ofDays(7),
                    100L << 30,
                    Duration.ofHours(2),
                    Duration.ofHours(1),
                    100_000,
                    1_000_000,
                    2_000_000,
                    "UUID",
                    List.of(
                        "job",
                        "tenant",
                        "pod",
                        "namespace",
                        "container",
                        "pod_uid",
                        "hpc_job",
                        "user",
                        "account",
                        "exported_pod",
                        "exported_namespace",
                        "exported_container",
                        "shared",
                        "partition",
                        "array_job",
                        "array_task",
                        "unit",
                        "container_id",
                        "container_name",
                        "pid",
                        "process_name")),
                RollupSettings.DEFAULT,
                new Journal.Settings(
                    Path.of("fleetgauge-data/journal"),
                    Journal.Sync.INTERVAL,
                    Duration.ofMillis(100),
                    256 << 10,
                    8 << 20,
                    16L << 30,
                    64L << 20),
                new IngestSettings(
                    16 << 20, 1_000, List.of("Hostname", "node", "instance"), Relabelling.NONE),
                LOG,
                TracingSettings.OFF));
    assertThat(QueryConfig.read("f", "# nothing\n"))
        .isEqualTo(
            new QueryConfig(
                new HttpSettings("0.0.0.0", 9090),
                cluster,
                Set.of(),
                Duration.ofMinutes(2),
                Duration.ofMinutes(5),
                100,
                Math.max(4, 2 * Runtime.getRuntime().availableProcessors()),
                Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
                Math.max(1 << 20, Runtime.getRuntime().maxMemory() / 32),
                500_000,
                500_000,
                256 << 20,
                100_000,
                Duration.ofSeconds(3),
                Duration.ofSeconds(5),
                new TenantLimits(
                    1, 20, 200, 50_000_000, 2_000_000, Duration.ofDays(400), 11_001, false),
                Optional.empty(),
                TrustSettings.NONE,
                Optional.empty(),
                Set.of(),
                new RulesSettings(
                    true,
                    Optional.empty(),
                    List.of(),
                    Map.of(),
                    Duration.ofMinutes(1),
                    Duration.ZERO,
                    Duration.ofMinutes(1),
                    Optional.empty(),
                    RulesSettings.Partial.KEEP,
                    Map.of(),
                    Optional.empty(),
                    Optional.empty(),
                    2_000,
                    20_000,
                    Duration.ofHours(1)),
                new NotificationSettings(
                    10_000, 256, Duration.ofSeconds(5), Relabelling.NONE, List.of()),
                LOG,
                TracingSettings.OFF));
    ProbeConfig probe = ProbeConfig.read("f", "{}");
    assertThat(probe)
        .isEqualTo(
            new ProbeConfig(
                probe.hostname(),
                probe.instance(),
                Labels.EMPTY,
                "fleetgauge-probe",
                Relabelling.NONE,
                new HttpSettings("0.0.0.0", 9400),
                PageSettings.defaults(),
                List.of(URI.create("http://127.0.0.1:9500")),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                TrustSettings.NONE,
                TickSettings.every(Duration.ofSeconds(15)),
                HostSettings.defaults(),
                new GpuSettings(
                    true,
                    "libnvidia-ml.so.1",
                    List.of(
                        Path.of("/run/nvidia/driver"),
                        Path.of("/host"),
                        Path.of("/home/kubernetes/bin/nvidia")),
                    false,
                    0,
                    Path.of("/dev/kmsg"),
                    Optional.empty(),
                    List.of(),
                    DeviceChoice.ALL,
                    false),
                new AttributionSettings(
                    Labels.EMPTY,
                    List.of("namespace", "account"),
                    new KubeletSettings(
                        true,
                        Path.of("/var/lib/kubelet/pod-resources/kubelet.sock"),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(5),
                        Duration.ofMinutes(1),
                        64 << 20,
                        List.of("nvidia\\.com/gpu(\\.shared)?", "nvidia\\.com/mig-.+"),
                        List.of("gpu.nvidia.com"),
                        Relabelling.NONE,
                        Path.of("/var/log/pods")),
                    new AllocationSettings(
                        Optional.empty(), Optional.empty(), Optional.empty(), 1_000),
                    new SlurmSettings(
                        Duration.ofSeconds(5),
                        true,
                        Optional.empty(),
                        SlurmSettings.Numbers.INDEX,
                        Optional.empty()),
                    new ProcessSettings(true, 64, true, true, Optional.empty()),
                    new RuntimeSettings(
                        List.of(Path.of("/run/docker.sock"), Path.of("/run/podman/podman.sock")),
                        List.of(
                            Path.of("/run/containerd/containerd.sock"),
                            Path.of("/run/crio/crio.sock"),
                            Path.of("/run/k3s/containerd/containerd.sock"),
                            Path.of("/run/cri-dockerd.sock")),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(5))),
                List.of(),
                new SpoolSettings(
                    Duration.ofMinutes(15),
                    12L << 20,
                    Optional.of(Path.of("fleetgauge-spool")),
                    Duration.ofHours(6),
                    1L << 30),
                new RecentSettings(
                    true,
                    Duration.ofSeconds(1),
                    Duration.ofMinutes(10),
                    Duration.ofSeconds(30),
                    8,
                    6,
                    true),
                LOG));
  }

  @Test
  void everyKeyOfAGatewayIsRead() throws ConfigException {
    assertThat(
            GatewayConfig.read(
                "f",
                """
                id: g1
                http: {host: 10.0.0.1, port: 0, advertisedHost: g1.example}
                zone: r7
                drainTimeout: 5s
                cluster: {name: c, host: 10.0.0.2, port: 6000, members: ["10.0.0.2:6000", "b:1"], replication: 3}
                store:
                  folder: /data
                  retention: 90m
                  maxDisk: 1GiB
                  memory: 20m
                  outOfOrder: 10m
                  maxSeriesPerHost: 7
                  maxSeriesPerTenant: 8
                  maxSeries: 9
                  gpuLabel: gpu_uuid
                  ownerLabels: [team]
                rollups:
                  enabled: true
                  step: 30s
                  lookback: 2m
                  rules:
                    b: {metrics: x|y}
                    a: {metrics: gpu_.+, labels: [rack], latest: false, windows: [1m, 5m]}
                journal:
                  sync: always
                  syncInterval: 1s
                  syncBytes: 1KiB
                  segment: 1MiB
                  maxDisk: 2MiB
                  maxQueued: 3MiB
                ingest: {maxBody: 1MiB, maxQueuedRequests: 3, hostLabels: [host], relabel: [{action: LabelDrop, regex: "pod|pod_.*"}]}
                log: {format: json, level: debug, linesPerMinute: 7}
                tracing: {endpoint: "https://collector:4318/v1/traces", ratio: 0.05}
                """))
        .isEqualTo(
            new GatewayConfig(
                "g1",
                new HttpSettings("10.0.0.1", 0),
                "g1.example",
                "r7",
                Optional.empty(),
                TrustSettings.NONE,
                Duration.ofSeconds(5),
                new ClusterSettings("c", "10.0.0.2", 6000, List.of("10.0.0.2:6000", "b:1"), 3),
                new StoreSettings(
                    Path.of("/data"),
                    Duration.ofMinutes(90),
                    1 << 30,
                    Duration.ofMinutes(20),
                    Duration.ofMinutes(10),
                    7,
                    8,
                    9,
                    "gpu_uuid",
                    List.of("team")),
                new RollupSettings(
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(2),
                    List.of(
                        new RollupSettings.Rule(
                            "a",
                            "gpu_.+",
                            List.of("rack"),
                            false,
                            List.of(Duration.ofMinutes(1), Duration.ofMinutes(5))),
                        new RollupSettings.Rule(
                            "b",
                            "x|y",
                            List.of("rack", "tenant", "job", "modelName", "Hostname"),
                            true,
                            List.of()))),
                new Journal.Settings(
                    Path.of("/data/journal"),
                    Journal.Sync.ALWAYS,
                    Duration.ofSeconds(1),
                    1 << 10,
                    1 << 20,
                    2 << 20,
                    3 << 20),
                new IngestSettings(1 << 20, 3, List.of("host"), NO_PODS),
                new LogSettings(LogSettings.Format.JSON, LogSettings.Level.DEBUG, 7),
                new TracingSettings(
                    Optional.of(URI.create("https://collector:4318/v1/traces")),
                    0.05,
                    Optional.empty(),
                    Optional.empty())));
  }

  @Test
  void everyKeyOfAQueryApiIsRead() throws ConfigException {
    QueryConfig config =
        QueryConfig.read(
            "f",
            """
            http: {host: 127.0.0.1, port: 1, allowedOrigins: ["https://g.example:3000", "http://[::1]"]}
            federate: {maxSeries: 11, maxBytes: 12KiB}
            report: {maxRows: 13}
            query:
              timeout: 5s
              lookback: 1m
              maxConcurrent: 2
              maxParallel: 5
              maxHeavy: 3
              cache: 7MiB
              wideSeries: 4
              slowWarn: 1s
              slowError: 2s
              limits: {weight: 2, running: 3, queued: 4, samples: 5, series: 6, range: 7d, points: 8}
            rules:
              bundled: false
              runbooks: https://pages.example/runbooks
              files: ["/etc/rules/*.yaml"]
              tenants: {ml: {files: [/etc/ml.yaml]}}
              evaluationInterval: 15s
              queryOffset: 10s
              resendDelay: 2m
              deadline: 5s
              partial: evaluate
              externalLabels: {cluster: c1}
              externalUrl: https://fleet.example/console
              folder: /var/lib/rules
              maxGroups: 14
              maxRules: 15
              catchUp: 2h
            """);
    assertThat(config.rules())
        .isEqualTo(
            new RulesSettings(
                false,
                Optional.of(URI.create("https://pages.example/runbooks")),
                List.of("/etc/rules/*.yaml"),
                Map.of("ml", List.of("/etc/ml.yaml")),
                Duration.ofSeconds(15),
                Duration.ofSeconds(10),
                Duration.ofMinutes(2),
                Optional.of(Duration.ofSeconds(5)),
                RulesSettings.Partial.EVALUATE,
                Map.of("cluster", "c1"),
                Optional.of(URI.create("https://fleet.example/console")),
                Optional.of(Path.of("/var/lib/rules")),
                14,
                15,
                Duration.ofHours(2)));
    assertThat(config.http()).isEqualTo(new HttpSettings("127.0.0.1", 1));
    assertThat(config.allowedOrigins())
        .containsExactlyInAnyOrder("https://g.example:3000", "http://[::1]");
    assertThat(config.timeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(config.lookback()).isEqualTo(Duration.ofMinutes(1));
    assertThat(config.maxConcurrent()).isEqualTo(2);
    assertThat(config.maxParallel()).isEqualTo(5);
    assertThat(config.maxHeavy()).isEqualTo(3);
    assertThat(config.cacheBytes()).isEqualTo(7 << 20);
    assertThat(config.wideSeries()).isEqualTo(4);
    assertThat(config.federateSeries()).isEqualTo(11);
    assertThat(config.federateBytes()).isEqualTo(12 << 10);
    assertThat(config.reportRows()).isEqualTo(13);
    assertThat(config.slowWarn()).isEqualTo(Duration.ofSeconds(1));
    assertThat(config.slowError()).isEqualTo(Duration.ofSeconds(2));
    assertThat(config.limits())
        .isEqualTo(new TenantLimits(2, 3, 4, 5, 6, Duration.ofDays(7), 8, false));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "g.example",
        "https://g.example/",
        "https://G.example",
        "null",
        "https://*.example"
      })
  void anAllowedOriginIsWrittenAsBrowsersSendIt(String origin) {
    assertThatThrownBy(() -> QueryConfig.read("f", "http: {allowedOrigins: ['" + origin + "']}"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("http.allowedOrigins: " + origin + " is not allowed");
  }

  @Test
  void whatKeepsStrangersOutIsReadAndItsFilesHaveToBeThere(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("some"), "text");
    String yaml =
        """
        http: {insecure: true, tls: {certificate: '@', key: '@', clientCa: '@'}}
        trust: {ca: '@', certificate: '@', key: '@', clockSkew: 30s}
        cluster: {secretFile: '@'}
        tenants: {file: '@'}
        """;
    GatewayConfig gateway = GatewayConfig.read("f", yaml.replace("@", file.toString()));
    assertThat(gateway.http())
        .isEqualTo(
            new HttpSettings(
                "0.0.0.0",
                9500,
                true,
                Optional.of(new TlsSettings(file, file, Optional.of(file)))));
    assertThat(gateway.http().scheme()).isEqualTo("https");
    assertThat(gateway.tenants()).contains(file);
    assertThat(gateway.trust())
        .isEqualTo(
            new TrustSettings(
                Optional.of(file),
                Optional.of(file),
                Optional.of(file),
                Optional.of(file),
                Duration.ofSeconds(30)));
    assertThatThrownBy(() -> QueryConfig.read("f", yaml.replace("@", "/no/such")))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.problems())
                    .hasSize(8)
                    .contains("tenants.file: the file /no/such cannot be read"));
    assertThatThrownBy(
            () -> GatewayConfig.read("f", "tenants: {file: '@'}".replace("@", file.toString())))
        .hasMessageContaining("set cluster.secretFile or http.tls.clientCa");
  }

  @Test
  void everyKeyOfAProbeIsRead() throws ConfigException {
    ProbeConfig config =
        ProbeConfig.read(
            "f",
            """
            hostname: n7
            labels: {rack: r1, zone: 3}
            job: node
            relabel:
              - regex: pod|pod_.*
                action: labeldrop
            gateways: ["http://a:1", "http://b:2"]
            tick: 5s
            ticks: {other: 1m, static: 6h, of: {DCGM_FI_DEV_FAN_SPEED: 10m, hwmon: 2m}}
            host: {proc: /host/proc}
            gpu:
              enabled: false
              library: /opt/libnvidia-ml.so.1
              driverRoots: [/d]
              links: true
              expected: 8
              kernelLog: /k
              collectors: /dev/null
              labels: [DCGM_FI_DRIVER_VERSION]
              devices: g:0,3+i
              replaceBlanksInModelName: true
            metrics: {vocabulary: dcgm-exporter-4.9, hostname: false}
            attribution:
              owner: {tenant: lab}
              tenantLabels: [team]
              kubelet:
                enabled: false
                socket: /s
                every: 20s
                timeout: 1s
                keep: 2m
                maxAnswer: 1MiB
                resources: [a/b]
                drivers: [d]
                relabel: [{action: drop, source_labels: [namespace], regex: ci}]
                podLogs: /l
              allocations: {socket: /run/p.sock, socketGroup: slurm, tokenFile: pom.xml, limit: 7}
              slurm:
                every: 9s
                cgroups: false
                mappingFolder: /m
                mappingNumbers: minor
                jobs:
                  enabled: true
                  command: /opt/squeue
                  every: 2m
                  timeout: 3s
                  onlyGpus: false
                  limit: 9
              processes: {enabled: false, limit: 8, perProcess: false, usedGpuMemory: false, port: 9900}
              runtimes: {docker: [/d.sock], cri: [], every: 20s, timeout: 1s}
            spool: {memory: 9m, maxMemory: 1GiB, folder: /spool, retention: 2h, maxDisk: 3GiB}
            recent:
              enabled: false
              step: 2s
              length: 5m
              faults: {after: 20s, kept: 3, perHour: 4, upload: false}
            """);
    assertThat(config.hostname()).isEqualTo("n7");
    assertThat(config.job()).isEqualTo("node");
    assertThat(config.labels()).isEqualTo(Labels.of("rack", "r1", "zone", "3"));
    assertThat(config.relabelling()).isEqualTo(NO_PODS);
    assertThat(config.gateways())
        .containsExactly(URI.create("http://a:1"), URI.create("http://b:2"));
    assertThat(config.ticks())
        .isEqualTo(
            new TickSettings(
                Duration.ofSeconds(5),
                Duration.ofMinutes(1),
                Duration.ofHours(6),
                Map.of(
                    "DCGM_FI_DEV_FAN_SPEED", Duration.ofMinutes(10),
                    "hwmon", Duration.ofMinutes(2))));
    assertThat(config.host().proc()).isEqualTo(Path.of("/host/proc"));
    assertThat(config.gpu())
        .isEqualTo(
            new GpuSettings(
                false,
                "/opt/libnvidia-ml.so.1",
                List.of(Path.of("/d")),
                true,
                8,
                Path.of("/k"),
                Optional.of(Path.of("/dev/null")),
                List.of("DCGM_FI_DRIVER_VERSION"),
                new DeviceChoice(true, Set.of("0", "3"), true),
                true));
    assertThat(config.page()).isEqualTo(new PageSettings("dcgm-exporter-4.9", false));
    assertThat(config.attribution())
        .isEqualTo(
            new AttributionSettings(
                Labels.of("tenant", "lab"),
                List.of("team"),
                new KubeletSettings(
                    false,
                    Path.of("/s"),
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(1),
                    Duration.ofMinutes(2),
                    1 << 20,
                    List.of("a/b"),
                    List.of("d"),
                    config.attribution().kubelet().relabelling(),
                    Path.of("/l")),
                new AllocationSettings(
                    Optional.of(Path.of("/run/p.sock")),
                    Optional.of("slurm"),
                    Optional.of(Path.of("pom.xml")),
                    7),
                new SlurmSettings(
                    Duration.ofSeconds(9),
                    false,
                    Optional.of(Path.of("/m")),
                    SlurmSettings.Numbers.MINOR,
                    Optional.of(
                        new SlurmSettings.Jobs(
                            Path.of("/opt/squeue"),
                            Duration.ofMinutes(2),
                            Duration.ofSeconds(3),
                            false,
                            9))),
                new ProcessSettings(false, 8, false, false, Optional.of(9900)),
                new RuntimeSettings(
                    List.of(Path.of("/d.sock")),
                    List.of(),
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(1))));
    assertThat(config.attribution().kubelet().relabelling().rules()).hasSize(1);
    assertThat(config.spool())
        .isEqualTo(
            new SpoolSettings(
                Duration.ofMinutes(9),
                1L << 30,
                Optional.of(Path.of("/spool")),
                Duration.ofHours(2),
                3L << 30));
    assertThat(config.recent())
        .isEqualTo(
            new RecentSettings(
                false,
                Duration.ofSeconds(2),
                Duration.ofMinutes(5),
                Duration.ofSeconds(20),
                3,
                4,
                false));
    assertThat(ProbeConfig.read("probe.yaml", "spool: {enabled: false}").spool().folder())
        .isEmpty();
  }

  @Test
  void aValueFromTheCommandLineTakesThePlaceOfThatInTheFile() throws ConfigException {
    ProbeConfig config =
        ProbeConfig.read(
            "f",
            "{tick: 5s, gpu: {links: true}}",
            Map.of("tick", "20s", "http.port", 9401, "gpu.replaceBlanksInModelName", true));
    assertThat(config.ticks().tick()).isEqualTo(Duration.ofSeconds(20));
    assertThat(config.http().port()).isEqualTo(9401);
    assertThat(config.gpu().dashes()).isTrue();
    assertThat(config.gpu().links()).isTrue();
    assertThatThrownBy(() -> ProbeConfig.read("f", "", Map.of("gpu.devices", "x")))
        .hasMessageContaining("gpu.devices: ");
  }

  @Test
  void aChoiceOfDevicesIsThatOfDcgmExporter() {
    DeviceChoice some = DeviceChoice.parse("g:0,07").orElseThrow();
    assertThat(some.has("7", "")).isTrue();
    assertThat(some.has("1", "")).isFalse();
    assertThat(some.has("0", "3")).isFalse();
    assertThat(DeviceChoice.parse("i").orElseThrow().has("0", "3")).isTrue();
    assertThat(DeviceChoice.parse("f")).contains(DeviceChoice.ALL);
    for (String wrong : List.of("", "g:", "g:a", "g+g", "i:1", "x", "g:0,", "+")) {
      assertThat(DeviceChoice.parse(wrong)).as(wrong).isEmpty();
    }
  }

  @Test
  void aRelabelRuleWithProblemsIsToldByItsPlaceAndField() {
    ConfigException failure =
        catchThrowableOfType(
            ConfigException.class,
            () ->
                ProbeConfig.read(
                    "probe.yaml",
                    """
                    relabel:
                      - {target_label: a}
                      - {action: hashmod, source_labels: [gpu]}
                      - {action: keep, regex: "a(b", label: c}
                      - {action: replace, source_labels: gpu, target_label: "", replacement: ""}
                      - 5
                    """));
    assertThat(failure.problems())
        .containsExactlyInAnyOrder(
            "relabel[1].modulus: the action hashmod requires a modulus other than 0",
            "relabel[1].target_label: the action hashmod requires a target label",
            "relabel[2].label: no such field; known here are source_labels, separator, regex,"
                + " modulus, target_label, replacement, action",
            "relabel[2].regex: a(b is not a regular expression (RE2): error parsing regexp: missing"
                + " closing ): `a(b`",
            "relabel[3].source_labels: gpu is not a list of label names",
            "relabel[4]: 5 is not allowed; allowed is a map of fields");
  }

  @Test
  void allProblemsAreToldAtOnceWithKeyValueAndWhatIsAllowed() {
    ConfigException failure =
        catchThrowableOfType(
            ConfigException.class,
            () ->
                GatewayConfig.read(
                    "gateway.yaml",
                    """
                    idd: g1
                    http: {port: 70000, hots: x}
                    store: {retention: 10 minutes, maxSeriesPerHost: 0}
                    ingest: {maxBody: 16MB}
                    cluster: {members: ["nowhere"]}
                    log: loud
                    """));
    assertThat(failure.problems())
        .containsExactlyInAnyOrder(
            "http.port: 70000 is not allowed; allowed is a whole number from 0 to 65535",
            "cluster.members: nowhere is not allowed; allowed is host:port",
            "store.retention: 10 minutes is not allowed; allowed is a duration from 1m to 400d in"
                + " ms, s, m, h or d, such as 15s",
            "store.maxSeriesPerHost: 0 is not allowed; allowed is a whole number from 1 to"
                + " 10000000",
            "ingest.maxBody: 16MB is not allowed; allowed is a size from 64KiB to 256MiB in B, KiB,"
                + " MiB, GiB or TiB, such as 64MiB",
            "idd: no such key; known here are cluster, drainTimeout, http, id,"
                + " ingest, journal, log, rollups, store, tenants, tracing, trust, zone",
            "http.hots: no such key; known here are advertisedHost, host, insecure, port, tls",
            "log: loud is not allowed; allowed is a map of keys");
    assertThat(failure).hasMessageStartingWith("gateway.yaml has 8 problems:");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tick: 0s | tick: 0s",
        "tick: 15 | tick: 15",
        "tick: 6m | tick: 6m",
        "gateways: http://a:1 | gateways",
        "gateways: [ftp://a] | gateways: ftp://a",
        "gateways: [] | gateways",
        "labels: {a-b: c} | labels.a-b",
        "labels: {a: [1]} | labels.a",
        "labels: x | labels: x",
        "hostname: ' ' | hostname",
        "gpu: {enabled: maybe} | gpu.enabled: maybe",
        "log: {format: xml} | log.format: xml is not allowed; allowed is one of text, json",
        "spool: {maxMemory: 1.5} | spool.maxMemory: 1.5",
        "tick: 99999999999999999999h | tick"
      })
  void aWrongValueIsNamed(String yaml, String problem) {
    assertThatThrownBy(() -> ProbeConfig.read("f", yaml))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(problem);
  }

  @ParameterizedTest
  @ValueSource(strings = {"- a\n- b", "just text", "a: [", "a: b: c"})
  void whatIsNotAMapIsAnError(String yaml) {
    assertThatThrownBy(() -> QueryConfig.read("f", yaml)).isInstanceOf(ConfigException.class);
  }
}

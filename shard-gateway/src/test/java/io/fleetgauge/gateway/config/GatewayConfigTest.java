package io.fleetgauge.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.gateway.otlp.OtlpSettings;
import io.fleetgauge.gateway.otlp.TranslationStrategy;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.LocalHost;
import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.config.TlsSettings;
import io.fleetgauge.runtime.config.TracingSettings;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.key.ConfigException;
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
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every key of a gateway. */
class GatewayConfigTest {
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
                GatewayConfig.DEFAULT_USAGE_RETENTION,
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
                    16 << 20,
                    1_000,
                    List.of("Hostname", "node", "instance"),
                    Relabelling.NONE,
                    OtlpSettings.DEFAULT),
                List.of(),
                LOG,
                TracingSettings.OFF));
  }

  private static final String EVERY_KEY =
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
      usage: {retention: 30d}
      ingest: {maxBody: 1MiB, maxQueuedRequests: 3, hostLabels: [host], relabel: [{action: LabelDrop, regex: "pod|pod_.*"}], otlp: {translationStrategy: NoTranslation, promoteAllResourceAttributes: true, ignoreResourceAttributes: [process.pid], keepIdentifyingResourceAttributes: true, convertHistogramsToNhcb: true}}
      log: {format: json, level: debug, linesPerMinute: 7}
      tracing: {endpoint: "https://collector:4318/v1/traces", ratio: 0.05}
      """;

  @Test
  void everyKeyOfAGatewayIsRead() throws ConfigException {
    assertThat(GatewayConfig.read("f", EVERY_KEY))
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
                Duration.ofDays(30),
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
                new IngestSettings(
                    1 << 20,
                    3,
                    List.of("host"),
                    NO_PODS,
                    new OtlpSettings(
                        TranslationStrategy.NoTranslation,
                        List.of(),
                        true,
                        List.of("process.pid"),
                        true,
                        true)),
                List.of(),
                new LogSettings(LogSettings.Format.JSON, LogSettings.Level.DEBUG, 7),
                new TracingSettings(
                    Optional.of(URI.create("https://collector:4318/v1/traces")),
                    0.05,
                    Optional.empty(),
                    Optional.empty())));
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
    assertThatThrownBy(
            () -> GatewayConfig.read("f", "tenants: {file: '@'}".replace("@", file.toString())))
        .hasMessageContaining("set cluster.secretFile or http.tls.clientCa");
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
                    ingest: {maxBody: 16MB, otlp: {ignoreResourceAttributes: [a], translationStrategy: none}}
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
            "ingest.otlp.translationStrategy: none is not allowed; allowed is"
                + " UnderscoreEscapingWithSuffixes, NoUTF8EscapingWithSuffixes, NoTranslation",
            "ingest.otlp.ignoreResourceAttributes: needs"
                + " ingest.otlp.promoteAllResourceAttributes: true",
            "idd: no such key; known here are cluster, drainTimeout, http, id, ingest, journal,"
                + " log, remoteWrite, rollups, store, tenants, tracing, trust, usage, zone",
            "http.hots: no such key; known here are advertisedHost, host, insecure, port, tls",
            "log: loud is not allowed; allowed is a map of keys");
    assertThat(failure).hasMessageStartingWith("gateway.yaml has 10 problems:");
  }

  @Test
  void membersThatAreListedCountBesidesDiscoveredOnesOnlyWhenTheyAreGiven() throws ConfigException {
    String discovery = "discovery: {method: dns, dns: {names: [a]}}";
    ClusterSettings cluster = GatewayConfig.read("f", "cluster: {" + discovery + "}").cluster();
    assertThat(cluster.members()).isEmpty();
    assertThat(cluster.discovery().orElseThrow().cache())
        .contains(Path.of("fleetgauge-data/discovery"));
  }
}

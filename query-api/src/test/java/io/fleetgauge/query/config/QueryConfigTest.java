package io.fleetgauge.query.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TracingSettings;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.sample.relabel.Relabelling;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every key of a query API. */
class QueryConfigTest {
  private static final LogSettings LOG =
      new LogSettings(LogSettings.Format.TEXT, LogSettings.Level.INFO);

  @Test
  void anEmptyFileIsEveryDefault() throws ConfigException {
    ClusterSettings cluster =
        new ClusterSettings("fleetgauge", "127.0.0.1", 5701, false, List.of("127.0.0.1:5701"), 2);
    assertThat(QueryConfig.read("f", "# nothing\n"))
        .isEqualTo(
            new QueryConfig(
                new HttpSettings("0.0.0.0", 9090),
                cluster,
                ClustersSettings.none(),
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
                new ReportSettings(
                    100_000, Optional.empty(), Optional.empty(), BigDecimal.ONE, List.of()),
                Duration.ofSeconds(3),
                Duration.ofSeconds(5),
                new TenantLimits(
                    1, 20, 200, 50_000_000, 2_000_000, Duration.ofDays(400), 11_001, false),
                Optional.empty(),
                TrustSettings.NONE,
                Optional.empty(),
                Set.of(),
                new InventorySettings(Optional.empty(), Duration.ofDays(7)),
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
                new FaultsSettings(
                    true,
                    Duration.ofSeconds(15),
                    Optional.empty(),
                    Optional.empty(),
                    List.of(),
                    List.of()),
                List.of(),
                LOG,
                TracingSettings.OFF));
  }

  @Test
  void everyKeyOfAQueryApiIsRead() throws ConfigException {
    QueryConfig config =
        QueryConfig.read(
            "f",
            """
            http: {host: 127.0.0.1, port: 1, allowedOrigins: ["https://g.example:3000", "http://[::1]"]}
            federate: {maxSeries: 11, maxBytes: 12KiB}
            report: {maxRows: 13, prices: /dev/null, carbon: /dev/null, pue: 1.25}
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
            inventory: {file: /dev/null, keep: 2d}
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
    assertThat(config.report())
        .isEqualTo(
            new ReportSettings(
                13,
                Optional.of(Path.of("/dev/null")),
                Optional.of(Path.of("/dev/null")),
                new BigDecimal("1.25"),
                List.of()));
    assertThat(config.slowWarn()).isEqualTo(Duration.ofSeconds(1));
    assertThat(config.slowError()).isEqualTo(Duration.ofSeconds(2));
    assertThat(config.inventory())
        .isEqualTo(new InventorySettings(Optional.of(Path.of("/dev/null")), Duration.ofDays(2)));
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
  void theFilesThatKeepStrangersOutHaveToBeThere() {
    String yaml =
        """
        http: {insecure: true, tls: {certificate: '@', key: '@', clientCa: '@'}}
        trust: {ca: '@', certificate: '@', key: '@', clockSkew: 30s}
        cluster: {secretFile: '@'}
        tenants: {file: '@'}
        """;
    assertThatThrownBy(() -> QueryConfig.read("f", yaml.replace("@", "/no/such")))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.problems())
                    .hasSize(8)
                    .contains("tenants.file: the file /no/such cannot be read"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"- a\n- b", "just text", "a: [", "a: b: c"})
  void whatIsNotAMapIsAnError(String yaml) {
    assertThatThrownBy(() -> QueryConfig.read("f", yaml)).isInstanceOf(ConfigException.class);
  }

  @Test
  void membersThatAreListedCountBesidesDiscoveredOnesWhenTheyAreGiven() throws ConfigException {
    String yaml = "cluster: {members: ['m:1'], discovery: {method: dns, dns: {names: [a]}}}";
    assertThat(QueryConfig.read("f", yaml).cluster().members()).containsExactly("m:1");
  }

  @Test
  void otherClustersAreSections() throws ConfigException {
    QueryConfig config =
        QueryConfig.read(
            "f",
            """
            cluster: {name: berlin}
            clusters:
              berlin: {label: expected}
              oslo:
                urls: [https://oslo.example, "http://10.0.0.1:9090"]
                timeout: 3s
                maxBytes: 2MiB
                tokenFile: /dev/null
                tenants: {blue: {tokenFile: /dev/null}, red: {tenant: rouge}}
            """);
    assertThat(config.clusters())
        .isEqualTo(
            new ClustersSettings(
                true,
                OtherClusterSettings.Label.EXPECTED,
                List.of(
                    new OtherClusterSettings(
                        "oslo",
                        List.of(
                            URI.create("https://oslo.example:443"),
                            URI.create("http://10.0.0.1:9090")),
                        OtherClusterSettings.Label.ADDED,
                        Duration.ofSeconds(3),
                        2 << 20,
                        new AccessSettings(
                            Optional.of(Path.of("/dev/null")),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            false),
                        Map.of(
                            "blue",
                            new OtherClusterSettings.Tenant(
                                Optional.of(Path.of("/dev/null")), Optional.empty()),
                            "red",
                            new OtherClusterSettings.Tenant(
                                Optional.empty(), Optional.of("rouge")))))));
  }

  @Test
  void aQueryApiHasAClusterOfItsOwnOrOthers() throws ConfigException {
    assertThat(
            QueryConfig.read("f", "cluster: {join: false}\nclusters: {b: {urls: [http://b:1]}}")
                .clusters()
                .joins())
        .isFalse();
    assertThatThrownBy(() -> QueryConfig.read("f", "cluster: {join: false}"))
        .hasMessageContaining("without a cluster of its own, clusters is needed");
    assertThatThrownBy(() -> QueryConfig.read("f", "clusters: {b: {}}"))
        .hasMessageContaining("clusters.b: urls is needed");
    assertThatThrownBy(() -> QueryConfig.read("f", "clusters: {fleetgauge: {urls: [http://b:1]}}"))
        .hasMessageContaining("the section is about the own cluster");
    assertThatThrownBy(
            () ->
                QueryConfig.read(
                    "f",
                    "clusters: {b: {urls: [http://b:1], tenants:"
                        + " {t: {tenant: a, tokenFile: /dev/null}}}}"))
        .hasMessageContaining("only one of tokenFile and tenant is allowed");
  }
}

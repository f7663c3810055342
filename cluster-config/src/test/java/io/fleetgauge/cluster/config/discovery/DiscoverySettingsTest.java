package io.fleetgauge.cluster.config.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fleetgauge.cluster.config.GatewayConfig;
import io.fleetgauge.cluster.config.ProbeConfig;
import io.fleetgauge.cluster.config.QueryConfig;
import io.fleetgauge.cluster.config.discovery.DiscoverySettings.Source;
import io.fleetgauge.cluster.config.discovery.RegistrationSettings.Check;
import io.fleetgauge.cluster.config.key.ConfigException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiscoverySettingsTest {
  private static final Path POD = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

  @TempDir private Path folder;

  private static DiscoverySettings ofGateway(String yaml) throws ConfigException {
    return GatewayConfig.read("f", "cluster: {discovery: " + yaml + "}")
        .cluster()
        .discovery()
        .orElseThrow();
  }

  private static List<String> problems(String yaml) {
    return catchThrowableOfType(ConfigException.class, () -> ofGateway(yaml)).problems();
  }

  @Test
  void withoutAMethodMembersAreListed() throws ConfigException {
    assertThat(GatewayConfig.read("f", "").cluster().discovery()).isEmpty();
    assertThat(GatewayConfig.read("f", "").cluster().members()).containsExactly("127.0.0.1:5701");
    assertThat(ProbeConfig.read("f", "").discovery()).isEmpty();
    assertThat(ProbeConfig.read("f", "").registration()).isEmpty();
  }

  @Test
  void membersThatAreListedCountBesidesOnlyWhenTheyAreGiven() throws ConfigException {
    String discovery = "discovery: {method: dns, dns: {names: [a]}}";
    assertThat(GatewayConfig.read("f", "cluster: {" + discovery + "}").cluster().members())
        .isEmpty();
    assertThat(
            QueryConfig.read("f", "cluster: {members: ['m:1'], " + discovery + "}")
                .cluster()
                .members())
        .containsExactly("m:1");
    assertThat(ProbeConfig.read("f", discovery).gateways()).isEmpty();
    assertThat(ProbeConfig.read("f", "{gateways: ['http://g:1'], " + discovery + "}").gateways())
        .containsExactly(URI.create("http://g:1"));
  }

  @Test
  void everyKeyOfDnsIsRead() throws ConfigException {
    assertThat(ofGateway("{method: dns, dns: {names: [a.b, c.]}}"))
        .isEqualTo(
            new DiscoverySettings(
                "cluster.discovery",
                new Source.Addresses(List.of("a.b", "c."), 5701, Optional.empty()),
                Duration.ofSeconds(5),
                Duration.ofSeconds(3),
                Optional.of(Path.of("fleetgauge-data/discovery")),
                1_000,
                8 << 20,
                false));
    assertThat(
            ProbeConfig.read(
                    "f",
                    """
                    discovery:
                      method: srv
                      scheme: https
                      refresh: 1m
                      timeout: 1s
                      cache: /c
                      maxAddresses: 7
                      maxAnswer: 1KiB
                      dns: {names: [_http._tcp.g], server: "[::1]:53"}
                    """)
                .discovery())
        .contains(
            new DiscoverySettings(
                "discovery",
                new Source.Services(List.of("_http._tcp.g"), Optional.of("[::1]:53")),
                Duration.ofMinutes(1),
                Duration.ofSeconds(1),
                Optional.of(Path.of("/c")),
                7,
                1_024,
                true));
  }

  @Test
  void everyKeyOfKubernetesIsRead() throws ConfigException {
    assertThat(ofGateway("{method: kubernetes, port: 7, kubernetes: {service: s}}").source())
        .isEqualTo(
            new Source.Kubernetes(
                URI.create("https://kubernetes.default.svc:443"),
                Optional.empty(),
                "s",
                Optional.empty(),
                7,
                true,
                POD.resolve("token"),
                POD.resolve("ca.crt"),
                POD.resolve("namespace")));
    assertThat(
            ofGateway(
                    """
                    {method: kubernetes, kubernetes: {service: s, api: 'http://a:8001',
                     namespace: n, port: p, notReady: false, tokenFile: /t, ca: /c}}\
                    """)
                .source())
        .isEqualTo(
            new Source.Kubernetes(
                URI.create("http://a:8001"),
                Optional.of("n"),
                "s",
                Optional.of("p"),
                5701,
                false,
                Path.of("/t"),
                Path.of("/c"),
                POD.resolve("namespace")));
    assertThat(
            ProbeConfig.read("f", "discovery: {method: kubernetes, kubernetes: {service: s}}")
                .discovery()
                .orElseThrow()
                .source())
        .isInstanceOfSatisfying(
            Source.Kubernetes.class,
            source -> {
              assertThat(source.hasNotReady()).isFalse();
              assertThat(source.port()).isEqualTo(9500);
            });
  }

  @Test
  void everyKeyOfConsulAndOfAFileIsRead() throws Exception {
    Path token = Files.createFile(folder.resolve("t"));
    assertThat(
            ofGateway(
                    """
                    {method: consul, consul: {service: s, tags: [a, b], api: 'https://c:8501',
                     datacenter: d, tokenFile: %1$s, ca: %1$s, certificate: %1$s, key: %1$s}}\
                    """
                        .formatted(token))
                .source())
        .isEqualTo(
            new Source.Consul(
                new ConsulApi(
                    URI.create("https://c:8501"),
                    Optional.of("d"),
                    Optional.of(token),
                    Optional.of(token),
                    Optional.of(token),
                    Optional.of(token)),
                "s",
                List.of("a", "b"),
                5701));
    assertThat(ofGateway("{method: file, file: {path: /f}}").source())
        .isEqualTo(new Source.Listed(Path.of("/f"), 5701));
  }

  @Test
  void everyKeyOfARegistrationIsRead() throws ConfigException {
    RegistrationSettings defaults =
        ProbeConfig.read(
                "f",
                """
                {hostname: n, instance: 10.0.0.1, labels: {rack: r},
                 registration: {consul: {enabled: true}}}\
                """)
            .registration()
            .orElseThrow();
    assertThat(defaults)
        .isEqualTo(
            new RegistrationSettings(
                new ConsulApi(
                    URI.create("http://127.0.0.1:8500"),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty()),
                "fleetgauge-probe",
                "fleetgauge-probe-n",
                "10.0.0.1",
                List.of(),
                Map.of("hostname", "n", "rack", "r"),
                Check.HTTP,
                Duration.ofSeconds(10),
                Duration.ofHours(1)));
    assertThat(
            ProbeConfig.read(
                    "f",
                    """
                    {hostname: n, registration: {consul: {enabled: true, service: s, id: i,
                     address: a, tags: [t], meta: {m: v}, check: ttl, interval: 1s,
                     deregisterAfter: 1m}}}\
                    """)
                .registration())
        .contains(
            new RegistrationSettings(
                defaults.api(),
                "s",
                "i",
                "a",
                List.of("t"),
                Map.of("hostname", "n", "m", "v"),
                Check.TTL,
                Duration.ofSeconds(1),
                Duration.ofMinutes(1)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{method: etcd}|cluster.discovery.method: etcd is not allowed; allowed is one of dns, srv,"
            + " kubernetes, consul, file",
        "{method: dns}|cluster.discovery.dns.names: the key is missing; method dns needs a list,"
            + " each item a DNS name such as gateways.example.org",
        "{method: kubernetes}|cluster.discovery.kubernetes.service: the key is missing; method"
            + " kubernetes needs text that is not blank",
        "{method: consul}|cluster.discovery.consul.service: the key is missing; method consul needs"
            + " text that is not blank",
        "{method: file}|cluster.discovery.file.path: the key is missing; method file needs a path",
        "{refresh: 1s}|cluster.discovery.refresh: the key has no effect without"
            + " cluster.discovery.method",
        "{method: dns, dns: {names: [a]}, file: {path: x}}|cluster.discovery.file.path: the key has"
            + " no effect with cluster.discovery.method: dns",
        "{method: dns, dns: {names: ['a b']}}|cluster.discovery.dns.names: a b is not allowed;"
            + " allowed is a DNS name such as gateways.example.org",
        "{method: dns, dns: {names: []}}|cluster.discovery.dns.names: [] is not allowed; allowed is"
            + " a list, each item a DNS name such as gateways.example.org",
        "{method: dns, dns: {names: [a], server: x}}|cluster.discovery.dns.server: x is not"
            + " allowed; allowed is host:port of a name server",
        "{method: dns, dns: {names: [a]}, refresh: 1ms}|cluster.discovery.refresh: 1ms is not"
            + " allowed; allowed is a duration from 1s to 1h in ms, s, m, h or d, such as 15s",
        "{method: dns, dns: {names: [a]}, port: 0}|cluster.discovery.port: 0 is not allowed;"
            + " allowed is a whole number from 1 to 65535",
        "{method: consul, consul: {service: s, api: 'http://a'}}|cluster.discovery.consul.api:"
            + " http://a is not allowed; allowed is http://host:port or https://host:port",
        "{method: consul, consul: {service: s, certificate: /proc/self/maps}}|"
            + "cluster.discovery.consul.certificate: cluster.discovery.consul.certificate and"
            + " cluster.discovery.consul.key are both needed, or none",
      })
  void aWrongKeyIsRefusedWithItsValueAndTheReason(String yaml, String problem) {
    assertThat(problems(yaml)).containsExactly(problem);
  }

  @Test
  void keysOfARegistrationThatIsOffAreRefused() {
    assertThat(
            catchThrowableOfType(
                    ConfigException.class,
                    () -> ProbeConfig.read("f", "registration: {consul: {tags: [a]}}"))
                .problems())
        .containsExactly(
            "registration.consul.tags: the key has no effect without registration.consul.enabled:"
                + " true");
  }
}

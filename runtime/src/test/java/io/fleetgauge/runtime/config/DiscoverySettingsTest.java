package io.fleetgauge.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fleetgauge.runtime.config.DiscoverySettings.Source;
import io.fleetgauge.runtime.config.RegistrationSettings.Check;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.key.ConfigReader;
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
    return ofMember("cluster: {discovery: " + yaml + "}").orElseThrow();
  }

  private static Optional<DiscoverySettings> ofMember(String yaml) throws ConfigException {
    ConfigReader in = new ConfigReader("f", yaml);
    Path cache = Path.of("fleetgauge-data/discovery");
    Optional<DiscoverySettings> read =
        DiscoverySettings.readForMember(in, 5701, Optional.of(cache));
    in.finish();
    return read;
  }

  private static Optional<DiscoverySettings> ofProbe(String yaml) throws ConfigException {
    ConfigReader in = new ConfigReader("f", yaml);
    Optional<DiscoverySettings> read = DiscoverySettings.readForProbe(in, 9500, Optional.empty());
    in.finish();
    return read;
  }

  private static Optional<RegistrationSettings> registration(String yaml) throws ConfigException {
    ConfigReader in = new ConfigReader("f", yaml);
    Optional<RegistrationSettings> read =
        RegistrationSettings.read(in, "n", "10.0.0.1", Map.of("rack", "r"));
    in.finish();
    return read;
  }

  private static List<String> problems(String yaml) {
    return catchThrowableOfType(ConfigException.class, () -> ofGateway(yaml)).problems();
  }

  @Test
  void withoutAMethodNothingIsDiscovered() throws ConfigException {
    assertThat(ofMember("")).isEmpty();
    assertThat(ofProbe("")).isEmpty();
    assertThat(registration("")).isEmpty();
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
            ofProbe(
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
                """))
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
            ofProbe("discovery: {method: kubernetes, kubernetes: {service: s}}")
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
        registration("registration: {consul: {enabled: true}}").orElseThrow();
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
            registration(
                """
                {registration: {consul: {enabled: true, service: s, id: i,
                 address: a, tags: [t], meta: {m: v}, check: ttl, interval: 1s,
                 deregisterAfter: 1m}}}\
                """))
        .contains(
            new RegistrationSettings(
                defaults.api(),
                "s",
                "i",
                "a",
                List.of("t"),
                Map.of("hostname", "n", "rack", "r", "m", "v"),
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
                    () -> registration("registration: {consul: {tags: [a]}}"))
                .problems())
        .containsExactly(
            "registration.consul.tags: the key has no effect without registration.consul.enabled:"
                + " true");
  }
}

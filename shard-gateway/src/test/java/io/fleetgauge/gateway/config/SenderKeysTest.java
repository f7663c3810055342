package io.fleetgauge.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fleetgauge.gateway.sender.SenderSettings;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.relabel.Relabelling;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SenderKeysTest {
  @Test
  void aReceiverNeedsAnAddressOnly() throws Exception {
    GatewayConfig config =
        GatewayConfig.read("f", "remoteWrite: {a: {url: 'http://h:1/api/v1/write'}}");
    assertThat(config.remoteWrite())
        .containsExactly(
            new SenderSettings(
                "a",
                URI.create("http://h:1/api/v1/write"),
                Version.V1,
                Map.of(),
                List.of(),
                false,
                false,
                Relabelling.NONE,
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                2_000,
                16,
                100_000,
                AccessSettings.NONE));
  }

  @Test
  void everyKeyOfAReceiverIsRead() throws Exception {
    SenderSettings read =
        GatewayConfig.read(
                "f",
                """
                remoteWrite:
                  a:
                    url: https://h/write
                    version: "2.0"
                    headers: {X-Scope-OrgID: t}
                    match: ['up', '{job="a"}']
                    rollups: true
                    ownerLabels: true
                    relabel: [{action: labeldrop, regex: x}]
                    timeout: 5s
                    delay: 20s
                    maxSamplesPerRequest: 7
                    maxRequests: 8
                    backlogSamplesPerSecond: 9
                """)
            .remoteWrite()
            .getFirst();
    assertThat(read.version()).isEqualTo(Version.V2);
    assertThat(read.headers()).containsExactly(Map.entry("X-Scope-OrgID", "t"));
    assertThat(read.match()).hasSize(2);
    assertThat(read.hasRollups()).isTrue();
    assertThat(read.hasOwners()).isTrue();
    assertThat(read.relabelling().isEmpty()).isFalse();
    assertThat(read.timeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(read.delay()).isEqualTo(Duration.ofSeconds(20));
    assertThat(List.of(read.maxSamples(), read.maxRequests(), read.backlogRate()))
        .containsExactly(7, 8, 9);
  }

  @Test
  void whatIsWrongIsNamed() {
    ConfigException failure =
        catchThrowableOfType(
            ConfigException.class,
            () ->
                GatewayConfig.read(
                    "f",
                    """
                    remoteWrite:
                      a: {version: "3", match: ['{']}
                      "b c": {url: 'http://h/'}
                      d: {url: 'ftp://h/', headers: {"x y": z}}
                    """));
    assertThat(failure.problems())
        .anyMatch(each -> each.startsWith("remoteWrite.a: url is needed"))
        .anyMatch(each -> each.startsWith("remoteWrite.a.version: 3 is not allowed"))
        .anyMatch(each -> each.startsWith("remoteWrite.a.match: { is no selector"))
        .anyMatch(each -> each.startsWith("remoteWrite: the name b c is not allowed"))
        .anyMatch(each -> each.startsWith("remoteWrite.d.url: ftp://h/ is not allowed"))
        .anyMatch(each -> each.startsWith("remoteWrite.d.headers.x y: z is not allowed"));
  }
}

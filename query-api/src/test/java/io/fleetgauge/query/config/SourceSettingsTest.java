package io.fleetgauge.query.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.key.ConfigException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SourceSettingsTest {
  private static List<SourceSettings> read(String sources) throws ConfigException {
    return QueryConfig.read("f", "sources:\n" + sources.indent(2)).sources();
  }

  @Test
  void aSourceNeedsNothingButAnAddress() throws ConfigException {
    assertThat(read("old: {url: 'http://prometheus:9090/'}"))
        .containsExactly(
            SourceSettings.at(
                "old",
                URI.create("http://prometheus:9090"),
                SourceSettings.Kind.PROMETHEUS,
                SourceSettings.Holds.OLDER));
    assertThat(QueryConfig.read("f", "").sources()).isEmpty();
  }

  @Test
  void everyKeyOfASourceIsRead() throws ConfigException {
    assertThat(
            read(
                """
                long-term:
                  url: https://mimir.example.org/prometheus
                  kind: mimir
                  holds: other
                  tenant: fleet
                  headers: ['X-Team: gpu one', 'X-Empty:']
                  matchers: '{cluster="a", __name__=~"slurm_.*"}'
                  hostLabel: host
                  hostLabels: [Hostname, instance]
                  hasOwnerLabels: true
                  ownerLabels: [tenant, project]
                  pushDown: true
                  dropLabels: [replica]
                  timeout: 7s
                  maxBytes: 2MiB
                  maxSamples: 9
                  userFile: /dev/null
                """))
        .containsExactly(
            new SourceSettings(
                "long-term",
                URI.create("https://mimir.example.org:443/prometheus"),
                SourceSettings.Kind.MIMIR,
                SourceSettings.Holds.OTHER,
                Map.of("X-Scope-OrgID", "fleet", "X-Team", "gpu one", "X-Empty", ""),
                List.of(
                    Matcher.equal("cluster", "a"),
                    Matcher.of(Matcher.Kind.REGEX, "__name__", "slurm_.*")),
                "host",
                List.of("Hostname", "instance"),
                true,
                List.of("tenant", "project"),
                true,
                Set.of("replica"),
                Duration.ofSeconds(7),
                2 << 20,
                9,
                new AccessSettings(
                    AccessSettings.NONE.token(),
                    Optional.of(Path.of("/dev/null")),
                    AccessSettings.NONE.ca(),
                    AccessSettings.NONE.certificate(),
                    AccessSettings.NONE.key(),
                    false)));
  }

  @Test
  void allThatIsWrongIsToldAtOnce() {
    assertThatThrownBy(
            () ->
                read(
                    """
                    none: {kind: mimir}
                    victoria: {url: 'http://a', kind: victoriametrics, pushDown: true}
                    'na me': {url: 'http://a'}
                    bad:
                      url: ftp://x
                      kind: influx
                      headers: ['Authorization: x', 'no header']
                      matchers: sum(up)
                      maxBytes: 3
                    """))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("sources.none: url is needed")
        .hasMessageContaining("sources.victoria: pushDown is not allowed")
        .hasMessageContaining("sources: the name na me is not allowed")
        .hasMessageContaining("sources.bad.url")
        .hasMessageContaining("sources.bad.kind")
        .hasMessageContaining("sources.bad.headers")
        .hasMessageContaining("sources.bad.matchers")
        .hasMessageContaining("sources.bad.maxBytes");
  }
}

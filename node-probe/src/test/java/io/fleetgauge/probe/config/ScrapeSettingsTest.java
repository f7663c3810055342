package io.fleetgauge.probe.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.PageFormat;
import io.fleetgauge.sample.relabel.Relabelling;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScrapeSettingsTest {
  private static ScrapeSettings only(String yaml) throws ConfigException {
    ProbeConfig config = ProbeConfig.read("f", yaml);
    assertThat(config.scrape()).hasSize(1);
    return config.scrape().getFirst();
  }

  @Test
  void anExporterNeedsAnAddressOnly() throws ConfigException {
    assertThat(only("{instance: 10.0.0.7, scrape: {dcgm: {url: 'http://localhost:9400'}}}"))
        .isEqualTo(
            new ScrapeSettings(
                "dcgm",
                URI.create("http://localhost:9400/metrics"),
                Labels.of("job", "dcgm", "instance", "10.0.0.7:9400"),
                Duration.ofSeconds(15),
                Duration.ofSeconds(10),
                false,
                true,
                Relabelling.NONE,
                Optional.empty(),
                new ScrapeSettings.Limits(16 << 20, 20_000, 64, 256, 4_096),
                AccessSettings.NONE));
  }

  @Test
  void everyKeyOfAnExporterIsRead(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("f"), "x");
    ScrapeSettings settings =
        only(
            """
            tick: 10s
            scrape:
              node:
                url: https://[::1]:9100/m?a=b
                job: node_exporter
                instance: n1:9100
                labels: {zone: z1}
                interval: 1m
                timeout: 20s
                honorLabels: true
                honorTimestamps: false
                metricRelabel: [{action: drop, source_labels: [__name__], regex: go_.*}]
                fallbackFormat: openmetrics
                maxBody: 1MiB
                maxSamples: 5
                maxLabels: 6
                maxLabelName: 7
                maxLabelValue: 8
                userFile: %1$s
                tls: {ca: %1$s, certificate: %1$s, key: %1$s, insecure: true}
            """
                .formatted(file));
    assertThat(settings.url()).isEqualTo(URI.create("https://[::1]:9100/m?a=b"));
    assertThat(settings.target())
        .isEqualTo(Labels.of("job", "node_exporter", "instance", "n1:9100", "zone", "z1"));
    assertThat(settings.interval()).isEqualTo(Duration.ofMinutes(1));
    assertThat(settings.timeout()).isEqualTo(Duration.ofSeconds(20));
    assertThat(settings.honorLabels()).isTrue();
    assertThat(settings.honorTimestamps()).isFalse();
    assertThat(settings.relabelling().rules()).hasSize(1);
    assertThat(settings.fallback()).contains(PageFormat.OPENMETRICS);
    assertThat(settings.limits()).isEqualTo(new ScrapeSettings.Limits(1 << 20, 5, 6, 7, 8));
    assertThat(settings.access().user()).contains(file);
    assertThat(settings.access().ca()).contains(file);
    assertThat(settings.access().certificate()).contains(file);
    assertThat(settings.access().key()).contains(file);
    assertThat(settings.access().isUnverified()).isTrue();
    assertThat(only("scrape: {a: {url: 'http://b', tokenFile: " + file + "}}").access().token())
        .contains(file);
  }

  @Test
  void anIntervalBelowATickIsATickAndATimeoutIsNoLongerThanIt() throws ConfigException {
    ScrapeSettings settings = only("{tick: 5s, scrape: {a: {url: 'http://b', interval: 1s}}}");
    assertThat(settings.interval()).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings.timeout()).isEqualTo(Duration.ofSeconds(5));
  }

  @ParameterizedTest
  @CsvSource({
    "10.1.2.3, http://localhost:9100, 10.1.2.3:9100",
    "10.1.2.3:9400, http://127.0.0.1:9100, 10.1.2.3:9100",
    "fd00::7, http://[::1]:9100, [fd00::7]:9100",
    "[fd00::7]:1, http://localhost, [fd00::7]:80",
    "n1, https://localhost, n1:443",
    "n1, http://bmc.example/x, bmc.example:80"
  })
  void theInstanceOfALoopbackAddressIsThatOfTheNodeWithThePort(
      String node, String url, String instance) throws ConfigException {
    assertThat(
            only("{instance: '" + node + "', scrape: {a: {url: '" + url + "'}}}")
                .target()
                .value("instance"))
        .isEqualTo(instance);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ftp://a",
        "a:9100",
        "http://",
        "http://u:p@a",
        "http://a#b",
        "http://a:0",
        "http://a:70000",
        "http:// a"
      })
  void anAddressThatIsNoneIsRefused(String url) {
    assertThat(problems("scrape: {a: {url: '" + url + "'}}"))
        .startsWith("scrape.a.url: " + url + " is not allowed");
  }

  @Test
  void whatCannotBeIsToldByItsPlace(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("f"), "x");
    assertThat(problems("scrape: {a: {}}")).startsWith("scrape.a.url: the key is missing");
    assertThat(problems("scrape: {a/b: {url: 'http://b'}}")).contains("the name a/b");
    assertThat(problems("scrape: {a: {url: 'http://b', timeout: 16s}}"))
        .isEqualTo("scrape.a.timeout: it is longer than the interval");
    assertThat(
            problems(
                "scrape: {a: {url: 'http://b', tokenFile: %1$s, userFile: %1$s}}".formatted(file)))
        .isEqualTo("scrape.a: only one of tokenFile and userFile is allowed");
    assertThat(problems("scrape: {a: {url: 'http://b', tls: {key: " + file + "}}}"))
        .isEqualTo("scrape.a.tls: certificate and key are both needed, or none");
  }

  private static String problems(String yaml) {
    ConfigException failure =
        catchThrowableOfType(ConfigException.class, () -> ProbeConfig.read("f", yaml));
    return failure.problems().getFirst();
  }
}

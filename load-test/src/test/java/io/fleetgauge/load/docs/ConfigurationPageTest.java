package io.fleetgauge.load.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.tenant.TenantList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/configuration.md} says what the keys say. */
class ConfigurationPageTest {
  private static final Path PAGE =
      Path.of(System.getProperty("fleetgauge.root"), "docs/configuration.md");

  private static Stream<Key<?>> allKeys() {
    return Stream.of(
            ProbeConfig.keys(), GatewayConfig.keys(), QueryConfig.keys(), TenantList.keys())
        .flatMap(List::stream);
  }

  @Test
  void thePageSaysWhatTheKeysSay() throws IOException {
    if ("write".equals(System.getProperty("fleetgauge.docs"))) {
      Files.createDirectories(PAGE.getParent());
      Files.writeString(PAGE, ConfigurationPage.text());
    }
    assertThat(Files.readString(PAGE))
        .as(
            "write the page anew: ./fleetgauge test -pl load-test -am"
                + " -Dtest=ConfigurationPageTest -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Dfleetgauge.docs=write")
        .isEqualTo(ConfigurationPage.text());
  }

  @Test
  void everyKeyIsExplainedInOnePlainSentence() {
    assertThat(allKeys()).hasSizeGreaterThan(100);
    assertThat(allKeys())
        .allSatisfy(
            key -> {
              assertThat(key.meaning()).as(key.name()).matches("[A-Z].*[^.]\\.");
              assertThat(key.type().name()).as(key.name()).isNotBlank();
              assertThat(key.fallbackText()).as(key.name()).isNotBlank();
            });
  }

  @Test
  void everyKeyIsListedOnce() {
    List<String> listed =
        Pattern.compile("^- `([\\w.]+)`( \\([^)]+\\))?: (?!see )", Pattern.MULTILINE)
            .matcher(ConfigurationPage.text())
            .results()
            .map(item -> item.group(1))
            .toList();
    assertThat(listed).doesNotHaveDuplicates().hasSizeGreaterThan(250);
    assertThat(allKeys())
        .allSatisfy(
            key ->
                assertThat(listed)
                    .as(key.name())
                    .contains(key.name().replaceFirst("^.*\\.(?=(discovery|limits)\\.)", "")));
  }

  @Test
  void everySectionHasAnAnchorOfItsOwn() {
    assertThat(ConfigurationPage.text().lines().filter(line -> line.startsWith("##")))
        .doesNotHaveDuplicates()
        .contains("### http", "### discovery", "### limits", "## Probe", "### rules");
  }

  @Test
  void linesHaveAtMost120Characters() {
    assertThat(ConfigurationPage.text().lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(120));
  }
}

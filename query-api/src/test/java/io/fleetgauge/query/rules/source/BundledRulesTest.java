package io.fleetgauge.query.rules.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.query.config.RulesSettings;
import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.definition.TemplateCheck;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BundledRulesTest {
  private static final RuleFileReader READER =
      new RuleFileReader(ParseOptions.STOCK, TemplateCheck.TEMPLATES, 60_000);

  private static final Path INSTALLED =
      Path.of(System.getProperty("fleetgauge.root"), "distribution/src/main/rules/fleetgauge");

  @TempDir Path folder;

  private static List<String> links(List<RuleGroup> groups) {
    return groups.stream()
        .flatMap(group -> group.rules().stream())
        .filter(Rule.Alerting.class::isInstance)
        .map(rule -> ((Rule.Alerting) rule).annotations().get("runbook_url"))
        .toList();
  }

  private static List<String> files(RuleSource source) {
    return source.groups().stream().map(group -> group.id().file()).distinct().toList();
  }

  @Test
  void everyFileThatIsInstalledIsRead() throws Exception {
    TreeSet<String> installed = new TreeSet<>();
    try (var files = Files.list(INSTALLED)) {
      files.forEach(file -> installed.add(file.getFileName().toString()));
    }
    assertThat(BundledRules.FILES).containsExactlyElementsOf(installed);
    List<RuleGroup> groups = BundledRules.read(READER, Optional.empty());
    for (String file : installed) {
      assertThat(groups.stream().filter(each -> each.id().file().endsWith("/" + file)).toList())
          .isEqualTo(
              READER.read(
                  "", "rules/fleetgauge/" + file, Files.readAllBytes(INSTALLED.resolve(file))));
    }
  }

  @Test
  void alertsLinkToPagesOfTheQueryApi() throws Exception {
    assertThat(links(BundledRules.read(READER, Optional.empty())))
        .hasSizeGreaterThan(30)
        .allSatisfy(
            link -> assertThat(link).matches("\\{\\{ \\$externalURL }}/runbooks/[A-Za-z]+\\.md"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://pages.example/a/", "https://pages.example/a"})
  void alertsLinkToPagesBelowTheConfiguredAddress(String address) throws Exception {
    assertThat(links(BundledRules.read(READER, Optional.of(URI.create(address)))))
        .hasSizeGreaterThan(30)
        .allSatisfy(link -> assertThat(link).matches("https://pages\\.example/a/[A-Za-z]+\\.md"));
  }

  @Test
  void theyAreTheOperatorsBesideTheRulesOfFiles() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("own.yaml"), "groups: [{name: own, rules: [{record: r, expr: up}]}]");
    RulesSettings own = RulesSettings.of(List.of(file.toString()), Optional.empty());
    assertThat(files(RuleSource.open(own, READER, () -> 0))).containsExactly(file.toString());
    RulesSettings bundled = RulesSettings.bundled(URI.create("http://q"), folder);
    RuleSource source = RuleSource.open(bundled, READER, () -> 0);
    assertThat(files(source))
        .containsExactlyElementsOf(
            BundledRules.FILES.stream().map(each -> "rules/fleetgauge/" + each).toList());
    assertThat(source.groups()).allSatisfy(group -> assertThat(group.id().tenant()).isEmpty());
  }
}

package io.fleetgauge.operator.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.TemplateCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Templates with the texts that promtool 3.5.3 expands them to, and those that it or we refuse with
 * our messages.
 */
class TemplateCorpusTest {
  private static final Path FOLDER = Path.of("src/test/resources/rules/templates");

  @Test
  void aTemplateThatPromtoolExpandsIsExpandedToTheSameText() throws IOException {
    RuleTests.Outcome outcome = RuleTests.run(FOLDER.resolve("expanded.test.yaml"), name -> true);

    assertThat(outcome.failures()).isEmpty();
  }

  @Test
  void aTemplateWhoseExpansionFailsInPromtoolFailsWithAMessageOfOurs() throws IOException {
    RuleTests.Outcome outcome = RuleTests.run(FOLDER.resolve("failing.test.yaml"), name -> true);

    assertThat(outcome.failures()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"refused", "unsupported"})
  void aTemplateThatPromtoolRefusesOrThatIsNotSupportedIsRefusedWithAMessageOfOurs(String file)
      throws Exception {
    List<String> got = new ArrayList<>();
    for (Rule rule : rules(file)) {
      String template = ((Rule.Alerting) rule).annotations().get("t");
      got.add(rule.name() + "\t" + TemplateCheck.TEMPLATES.problem(template).orElse("accepted"));
    }

    assertThat(got).isEqualTo(Files.readAllLines(FOLDER.resolve(file + ".tsv")));
    assertThat(got).hasSizeGreaterThanOrEqualTo(80);
  }

  private static List<Rule> rules(String file) throws IOException, InvalidRules {
    byte[] text = Files.readAllBytes(FOLDER.resolve(file + ".rules.yaml"));
    return new RuleFileReader(ParseOptions.STOCK, TemplateCheck.NONE, 60_000)
        .read("", file, text)
        .getFirst()
        .rules();
  }

  @Test
  void theRecordedTextsAreThoseOfPromtool() throws Exception {
    Promtool.Output expanded = Promtool.run(FOLDER, "test", "rules", "expanded.test.yaml");

    assertThat(expanded.exit()).as(expanded.text()).isZero();
  }

  @Test
  void promtoolFailsAndRefusesAndAcceptsAsRecorded() throws Exception {
    Promtool.Output failing = Promtool.run(FOLDER, "test", "rules", "failing.test.yaml");
    Promtool.Output refused = Promtool.run(FOLDER, "check", "rules", "refused.rules.yaml");
    Promtool.Output unsupported = Promtool.run(FOLDER, "check", "rules", "unsupported.rules.yaml");

    for (Rule rule : rules("failing")) {
      assertThat(failing.text())
          .contains(
              "<error expanding template: error executing template __alert_" + rule.name() + ":");
    }
    for (Rule rule : rules("refused")) {
      assertThat(refused.text()).contains("\"" + rule.name() + "\": annotation \"t\"");
    }
    assertThat(unsupported.exit()).as(unsupported.text()).isZero();
  }
}

package io.fleetgauge.operator.rules.unittest;

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

/** Templates with the verdicts of promtool 3.5.3, which {@code expanded.test.yaml} recorded. */
class TemplateCorpusTest {
  private static final Path FOLDER = Path.of("src/test/resources/rules/templates");

  @Test
  void aTemplateThatPromtoolExpandsIsExpandedToTheSameText() throws IOException {
    RuleTests.Outcome outcome = RuleTests.run(FOLDER.resolve("expanded.test.yaml"), name -> true);

    assertThat(outcome.failures()).isEmpty();
  }

  @Test
  void aTemplateThatPromtoolRefusesIsRefusedWithTheSameMessage() throws Exception {
    List<String> expected = Files.readAllLines(FOLDER.resolve("refused.tsv"));
    List<String> got = new ArrayList<>();
    for (Rule rule : refused()) {
      String template = ((Rule.Alerting) rule).annotations().get("t");
      String problem = TemplateCheck.TEMPLATES.problem(rule.name(), template).orElse("accepted");
      got.add(rule.name() + "\tannotation \"t\": " + problem.replace("\n", "\\n"));
    }

    assertThat(got).isEqualTo(expected);
    assertThat(got).hasSizeGreaterThan(80);
  }

  private static List<Rule> refused() throws IOException, InvalidRules {
    byte[] text = Files.readAllBytes(FOLDER.resolve("refused.rules.yaml"));
    return new RuleFileReader(ParseOptions.STOCK, TemplateCheck.NONE, 60_000)
        .read("", "refused.rules.yaml", text)
        .getFirst()
        .rules();
  }

  @Test
  void theRecordedVerdictsAreThoseOfPromtool() throws Exception {
    Promtool.Said expanded = Promtool.run(FOLDER, "test", "rules", "expanded.test.yaml");
    Promtool.Said refused = Promtool.run(FOLDER, "check", "rules", "refused.rules.yaml");

    assertThat(expanded.exit()).as(expanded.text()).isZero();
    for (String line : Files.readAllLines(FOLDER.resolve("refused.tsv"))) {
      String[] parts = line.split("\t", 2);
      assertThat(refused.text()).contains("\"" + parts[0] + "\": " + parts[1].replace("\\n", "\n"));
    }
  }
}

package io.fleetgauge.operator.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Files of unit tests; those with {@code pass} in their name pass in promtool 3.5.3. */
class RuleTestsTest {
  private static final Path FOLDER = Path.of("src/test/resources/rules/unittest");

  static List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.filter(file -> file.toString().endsWith(".test.yaml")).sorted().toList();
    }
  }

  private static boolean passes(Path file) {
    return file.getFileName().toString().startsWith("pass");
  }

  @ParameterizedTest
  @MethodSource("files")
  void aFileHasTheVerdictThatItHasInPromtool(Path file) throws IOException {
    RuleTests.Outcome outcome = RuleTests.run(file, name -> true);

    assertThat(outcome.passed()).as(String.join("\n", outcome.failures())).isEqualTo(passes(file));
  }

  @ParameterizedTest
  @MethodSource("files")
  void theVerdictInItsNameIsThatOfPromtool(Path file) throws Exception {
    Promtool.Output said = Promtool.run(FOLDER, "test", "rules", file.getFileName().toString());

    assertThat(said.exit() == 0).as(said.text()).isEqualTo(passes(file));
  }

  @Test
  void aFailureSaysWhatWasExpectedAndWhatCame() throws IOException {
    RuleTests.Outcome outcome = RuleTests.run(FOLDER.resolve("fail-alert.test.yaml"), name -> true);

    assertThat(outcome.failures()).hasSize(1);
    assertThat(outcome.failures().getFirst())
        .contains("alertname: GpuHot, time: 2m", "severity=\"info\"", "severity=\"critical\"");
  }

  @Test
  void onlyTheTestsOfTheWantedNamesRun() throws IOException {
    Path file = FOLDER.resolve("fail-alert.test.yaml");

    assertThat(RuleTests.run(file, name -> !name.equals("wrong severity")).passed()).isTrue();
  }

  @Test
  void aWrongFileIsRefusedWithAllItsProblemsAtTheirPlaces(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("wrong.yaml");
    Files.writeString(
        file,
        "rule_file: []\nevaluation_interval: 5x\ntests:\n- alert_rule_test: [{eval_time: 1m}]\n");

    List<String> failures = RuleTests.run(file, name -> true).failures();

    assertThat(failures).hasSize(3);
    assertThat(failures.get(0)).contains("wrong.yaml:1:1: the file has no key \"rule_file\"");
    assertThat(failures.get(1)).contains("wrong.yaml:2:22: not a valid duration string: \"5x\"");
    assertThat(failures.get(2)).contains("wrong.yaml:4:21").contains("alertname");
  }

  @Test
  void aGlobThatMatchesNoFileIsAWarning(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("empty.yaml");
    Files.writeString(file, "rule_files: ['*.rules']\ntests: []\n");

    RuleTests.Outcome outcome = RuleTests.run(file, name -> true);

    assertThat(outcome.passed()).isTrue();
    assertThat(outcome.warnings()).containsExactly("no file matches pattern *.rules");
  }
}

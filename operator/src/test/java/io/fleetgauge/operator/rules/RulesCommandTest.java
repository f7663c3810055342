package io.fleetgauge.operator.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class RulesCommandTest {
  @TempDir Path folder;

  private final StringWriter out = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new RulesCommand()).setOut(new PrintWriter(out)).execute(arguments);
  }

  private String file(String name, String text) throws Exception {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @Test
  void checkCountsTheRulesOfGoodFiles() throws Exception {
    String good =
        file("good", "groups: [{name: g, rules: [{record: r, expr: up}, {record: r, expr: x}]}]");
    assertThat(run("check", good)).isZero();
    assertThat(out)
        .hasToString(
            """
            @: 1 groups with 2 rules
            @: warning: 2 rules have the name "r" and the labels {}
            """
                .replace("@", good));
  }

  @Test
  void checkPrintsTheProblemsOfAllFiles() throws Exception {
    String one = file("one", "groups: [{name: g, rules: [{record: r}]}]");
    String two =
        file("two", "groups: [{name: g, rules: [{alert: A, expr: up, labels: {a: '{{'}}]}]");
    assertThat(run("check", one, two, folder + "/none")).isEqualTo(1);
    assertThat(out.toString())
        .startsWith(one + ":1:28: group \"g\", rule 1, \"r\": \"expr\" is missing or empty")
        .contains(two + ":1:61: group \"g\", rule 1, \"A\": labels.a: ")
        .endsWith(folder + "/none: there is no such file\n");
  }

  @Test
  void featuresThatAreOffAreProblemsUnlessTheyAreNamed() throws Exception {
    String file = file("f", "groups: [{name: g, rules: [{record: r, expr: sort_by_label(up)}]}]");
    assertThat(run("check", file)).isEqualTo(1);
    assertThat(run("check", "--enable-feature=promql-experimental-functions", file)).isZero();
  }
}

package io.fleetgauge.operator.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class RulesTestCommandTest {
  private static final Path FOLDER = Path.of("src/test/resources/rules/unittest");

  private final StringWriter out = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new RulesCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(out))
        .execute(arguments);
  }

  private static String file(String name) {
    return FOLDER.resolve(name).toString();
  }

  @Test
  void filesThatPassExitWithZero() {
    assertThat(run("test", file("pass-gpu.test.yaml"), file("pass-fuzzy.test.yaml")))
        .as(out.toString())
        .isZero();
    assertThat(out.toString()).contains("pass-gpu.test.yaml: passed");
  }

  @Test
  void aFileThatFailsIsPrintedAndExitsWithOne() {
    assertThat(run("test", file("pass-gpu.test.yaml"), file("fail-alert.test.yaml"))).isEqualTo(1);
    assertThat(out.toString()).contains("fail-alert.test.yaml: failed", "alertname: GpuHot");
  }

  @Test
  void onlyTestsThatAreWantedRun() {
    assertThat(run("test", "--run", "^noth", file("fail-alert.test.yaml"))).isZero();
  }

  @Test
  void aMissingFileAndAWrongExpressionAreTold() {
    assertThat(run("test", file("none.yaml"))).isEqualTo(1);
    assertThat(out.toString()).contains("none.yaml: there is no such file");
    assertThat(run("test", "--run", "[", file("none.yaml"))).isEqualTo(2);
    assertThat(out.toString()).contains("--run is [");
  }

  @Test
  void wrongTimesOfABackfillAreTold() {
    assertThat(run("backfill", "--start", "yesterday", file("gpu.rules.yaml"))).isEqualTo(2);
    assertThat(out.toString())
        .contains("--start is yesterday; allowed are seconds since the epoch and RFC 3339");
    assertThat(run("backfill", "--start", "100", "--end", "50", file("gpu.rules.yaml")))
        .isEqualTo(2);
    assertThat(out.toString()).contains("--end 50 is before --start 100");
  }

  @Test
  void aBackfillThatCannotAskSaysWhomItAsked() {
    assertThat(
            run(
                "backfill",
                "--start",
                "0",
                "--end",
                "600",
                "--url",
                "http://localhost:1",
                "--gateway",
                "http://localhost:1",
                file("limit.rules.yaml")))
        .isEqualTo(1);
    assertThat(out.toString()).contains("http://localhost:1 does not respond to GET /v1/backup");
  }
}

package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class PromqlCommandTest {
  private static final String GOOD =
      "load 1m\n  up 1 2 3\n\neval instant at 1m up\n  up 2\n\neval instant at 2m -up\n  {} -3\n";
  private static final String WRONG = "load 1m\n  up 1 2 3\n\neval instant at 1m up\n  up 7\n";

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private CommandLine command;

  @BeforeEach
  void parse() {
    command =
        new CommandLine(new PromqlCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(out));
  }

  private int test(String... scripts) throws Exception {
    String[] arguments = new String[scripts.length + 1];
    arguments[0] = "test";
    for (int i = 0; i < scripts.length; i++) {
      Path file = folder.resolve(i + ".test");
      arguments[i + 1] = file.toString();
      Files.deleteIfExists(file);
      if (!scripts[i].isEmpty()) {
        Files.writeString(file, scripts[i]);
      }
    }
    return command.execute(arguments);
  }

  @Test
  void passedCasesAreCountedByClass() throws Exception {
    assertThat(test(GOOD)).as(out.toString()).isZero();
    assertThat(out.toString()).contains("0.test: ").contains(" 2 of 2 passed");
  }

  @Test
  void aFailedCaseIsPrintedWithItsLineAndExitsWithOne() throws Exception {
    assertThat(test(GOOD, WRONG)).isEqualTo(1);
    assertThat(out.toString()).contains("1.test:4: up").contains("2 of 3 passed").contains("all: ");
  }

  @Test
  void anInvalidOrMissingScriptExitsWithOne() throws Exception {
    assertThat(test("nonsense")).isEqualTo(1);
    assertThat(out.toString()).contains("is not a test script: ");
    assertThat(test("")).isEqualTo(1);
    assertThat(out.toString()).contains("cannot be read: ");
  }

  @Test
  void withoutACommandTheUsageIsShown() {
    assertThat(command.execute()).isEqualTo(2);
    assertThat(out.toString()).contains("promql").contains("test");
  }
}

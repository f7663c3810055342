package io.fleetgauge.runtime.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Option;

class DocumentCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @CommandLine.Command(name = "ask", exitCodeOnExecutionException = 7)
  private static final class Ask extends DocumentCommand {
    @Option(names = "--fail", description = "Fails.")
    private boolean fails;

    @Override
    protected JsonObject document() throws CommandFailure {
      if (fails) {
        throw new CommandFailure("nobody answers; start somebody");
      }
      warn("there is more");
      return new JsonObject().put("figure", 3);
    }

    @Override
    protected String text(JsonObject document) {
      return "the figure is " + document.getInteger("figure") + "\n";
    }

    @Override
    protected int exitCode(JsonObject document) {
      return document.getInteger("figure");
    }
  }

  @CommandLine.Command(name = "group", subcommands = Ask.class)
  private static final class Group extends CommandGroup {}

  private int run(Object command, String... arguments) {
    return new CommandLine(command)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  @Test
  void theSameDocumentIsPrintedAsTextOrAsJson() {
    assertThat(run(new Ask())).isEqualTo(3);
    assertThat(out).hasToString("the figure is 3\n");
    assertThat(err).hasToString("fleetgauge: there is more\n");
    out.getBuffer().setLength(0);
    assertThat(run(new Ask(), "--format=json")).isEqualTo(3);
    assertThat(new JsonObject(out.toString())).isEqualTo(new JsonObject().put("figure", 3));
  }

  @Test
  void aFailureIsOneLineAndTheExitCodeThatTheCommandDeclares() {
    assertThat(run(new Ask(), "--fail")).isEqualTo(7);
    assertThat(err).hasToString("fleetgauge: nobody answers; start somebody\n");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void wrongUsageExitsWithTwoAndHelpWithZero() {
    assertThat(run(new Ask(), "--format=xml")).isEqualTo(2);
    assertThat(err.toString()).contains("--format is xml; it may be table or json", "Usage: ask");
    assertThat(run(new Ask(), "-h")).isZero();
    assertThat(out.toString()).contains("Usage: ask", "--help");
  }

  @Test
  void aGroupWithoutASubcommandPrintsItsUsageAndExitsWithTwo() {
    assertThat(run(new Group())).isEqualTo(2);
    assertThat(err.toString()).contains("Usage: group");
    assertThat(run(new Group(), "ask")).isEqualTo(3);
  }
}

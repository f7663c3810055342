package io.fleetgauge.load.compare;

import io.fleetgauge.promql.script.CaseClass;
import io.fleetgauge.promql.script.CaseResult;
import io.fleetgauge.promql.script.ScriptException;
import io.fleetgauge.promql.script.ScriptRunner;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.terminal.CommandGroup;
import io.fleetgauge.runtime.terminal.TerminalCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** {@code fleetgauge promql}. */
@CommandLine.Command(
    name = "promql",
    description = "Tools for PromQL that need no server.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = PromqlCommand.Test.class)
public final class PromqlCommand extends CommandGroup implements Command {
  /** {@code fleetgauge promql test}. */
  @CommandLine.Command(
      name = "test",
      description = {
        "Runs test scripts in the format of Prometheus's PromQL tests.",
        "Prints failed cases and the number of passed cases of each class. Exits with 1 if a case"
            + " failed."
      })
  static final class Test extends TerminalCommand {
    @CommandLine.Parameters(arity = "1..*", paramLabel = "FILE", description = "Scripts to run.")
    private List<Path> files;

    @Override
    protected int run() {
      PrintWriter out = out();
      Totals all = new Totals();
      boolean readable = true;
      for (Path file : files) {
        try {
          Totals totals = new Totals();
          for (CaseResult result : ScriptRunner.run(Files.readString(file))) {
            totals.add(result);
            all.add(result);
            result
                .failure()
                .ifPresent(
                    failure ->
                        out.printf(
                            "%s:%d: %s%n  %s%n", file, result.line(), result.query(), failure));
          }
          out.println(file + ": " + totals);
        } catch (IOException e) {
          readable = false;
          out.println(file + ": cannot be read: " + e);
        } catch (ScriptException e) {
          readable = false;
          out.println(file + ": is not a test script: " + e.getMessage());
        }
      }
      if (files.size() > 1) {
        out.println("all: " + all);
      }
      out.flush();
      return readable && all.passed() ? 0 : 1;
    }
  }

  /** Counts of cases and passed cases by class. */
  private static final class Totals {
    private final Map<CaseClass, int[]> counts = new EnumMap<>(CaseClass.class);

    void add(CaseResult result) {
      int[] count = counts.computeIfAbsent(result.kind(), none -> new int[2]);
      count[0] += result.passed() ? 1 : 0;
      count[1]++;
    }

    boolean passed() {
      return counts.values().stream().allMatch(count -> count[0] == count[1]);
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      counts.forEach(
          (kind, count) ->
              text.append(text.isEmpty() ? "" : ", ")
                  .append(kind.text)
                  .append(' ')
                  .append(count[0])
                  .append(" of ")
                  .append(count[1])
                  .append(" passed"));
      return text.isEmpty() ? "no cases" : text.toString();
    }
  }
}

package io.fleetgauge.operator.rules;

import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.terminal.HelpOption;
import io.fleetgauge.sample.regexp.Regexp;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** {@code fleetgauge rules test}. */
@CommandLine.Command(
    name = "test",
    description = {
      "Runs unit tests of rules, in the files of promtool test rules.",
      "Prints the differences from the expected results. Exits with 1 if a test failed."
    })
final class RulesTestCommand implements Command {
  @CommandLine.Spec private CommandSpec spec;

  @CommandLine.Parameters(arity = "1..*", paramLabel = "FILE", description = "Test files to run.")
  private List<Path> files;

  @CommandLine.Option(
      names = "--run",
      paramLabel = "REGEX",
      description =
          "Runs only tests whose name matches this regular expression; may be given several times.")
  private List<String> run = List.of();

  @CommandLine.Mixin private HelpOption help;

  @Override
  public Integer call() {
    List<Regexp> wanted = new ArrayList<>();
    for (String regex : run) {
      try {
        wanted.add(Regexp.searched(regex));
      } catch (IllegalArgumentException e) {
        throw new CommandLine.ParameterException(
            spec.commandLine(), "--run is " + regex + ": " + e.getMessage());
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    boolean passed = true;
    for (Path file : files) {
      passed &= test(file, wanted, out);
    }
    out.flush();
    return passed ? 0 : 1;
  }

  private static boolean test(Path file, List<Regexp> wanted, PrintWriter out) {
    try {
      RuleTests.Outcome outcome =
          RuleTests.run(
              file,
              name -> wanted.isEmpty() || wanted.stream().anyMatch(regex -> regex.matches(name)));
      outcome.warnings().forEach(text -> out.println(file + ": warning: " + text));
      if (outcome.passed()) {
        out.println(file + ": passed");
        return true;
      }
      out.println(file + ": failed");
      outcome.failures().forEach(out::println);
    } catch (NoSuchFileException e) {
      out.println(e.getFile() + ": there is no such file");
    } catch (IOException e) {
      out.println(file + ": the file cannot be read: " + e);
    }
    return false;
  }
}

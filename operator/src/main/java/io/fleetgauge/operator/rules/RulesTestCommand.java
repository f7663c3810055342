package io.fleetgauge.operator.rules;

import io.fleetgauge.runtime.terminal.TerminalCommand;
import io.fleetgauge.sample.regexp.Regexp;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/** {@code fleetgauge rules test}. */
@CommandLine.Command(
    name = "test",
    description = {
      "Runs unit tests of rules, in the files of promtool test rules.",
      "Prints the differences from the expected results. Exits with 1 if a test failed."
    })
final class RulesTestCommand extends TerminalCommand {
  @CommandLine.Parameters(arity = "1..*", paramLabel = "FILE", description = "Test files to run.")
  private List<Path> files;

  @CommandLine.Option(
      names = "--run",
      paramLabel = "REGEX",
      description =
          "Runs only tests whose name matches this regular expression; may be given several times.")
  private List<String> run = List.of();

  @Override
  protected int run() {
    List<Regexp> wanted = new ArrayList<>();
    for (String regex : run) {
      try {
        wanted.add(Regexp.searched(regex));
      } catch (IllegalArgumentException e) {
        throw wrong("--run is " + regex + ": " + e.getMessage());
      }
    }
    boolean passed = true;
    for (Path file : files) {
      passed &= test(file, wanted);
    }
    return passed ? 0 : 1;
  }

  private boolean test(Path file, List<Regexp> wanted) {
    try {
      RuleTests.Outcome outcome =
          RuleTests.run(
              file,
              name -> wanted.isEmpty() || wanted.stream().anyMatch(regex -> regex.matches(name)));
      outcome.warnings().forEach(text -> print(file + ": warning: " + text));
      if (outcome.passed()) {
        print(file + ": passed");
        return true;
      }
      print(file + ": failed");
      outcome.failures().forEach(this::print);
    } catch (NoSuchFileException e) {
      print(e.getFile() + ": there is no such file");
    } catch (IOException e) {
      print(file + ": the file cannot be read: " + e);
    }
    return false;
  }
}

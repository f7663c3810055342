package io.fleetgauge.operator.rules;

import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.query.rules.definition.DuplicateRules;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.definition.TemplateCheck;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.terminal.CommandGroup;
import io.fleetgauge.runtime.terminal.TerminalCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import picocli.CommandLine;

/** {@code fleetgauge rules}. */
@CommandLine.Command(
    name = "rules",
    description = "Tools for rule files.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {RulesCommand.Check.class, RulesTestCommand.class, RulesBackfillCommand.class})
public final class RulesCommand extends CommandGroup implements Command {
  /** {@code fleetgauge rules check}. */
  @CommandLine.Command(
      name = "check",
      description = {
        "Checks rule files in Prometheus's format.",
        "Prints all problems of all files, each with its line and column, and warns of duplicate"
            + " rules. Exits with 1 if a file cannot be used."
      })
  static final class Check extends TerminalCommand {
    private static final long ANY_INTERVAL = 60_000;

    @CommandLine.Parameters(arity = "1..*", paramLabel = "FILE", description = "Files to check.")
    private List<Path> files;

    @CommandLine.Option(
        names = "--enable-feature",
        split = ",",
        paramLabel = "NAME",
        description = "PromQL features to enable, as in the key query.features of the query API.")
    private Set<String> features = Set.of();

    @Override
    protected int run() {
      RuleFileReader reader =
          new RuleFileReader(
              new ParseOptions(Feature.named(features), 0, 0),
              TemplateCheck.TEMPLATES,
              ANY_INTERVAL);
      boolean isGood = true;
      for (Path file : files) {
        isGood &= check(file, reader, out());
      }
      return isGood ? 0 : 1;
    }

    private static boolean check(Path file, RuleFileReader reader, PrintWriter out) {
      List<RuleGroup> groups = new ArrayList<>();
      boolean isGood =
          read(
              file,
              reader,
              out,
              found -> {
                groups.addAll(found);
                int rules = found.stream().mapToInt(group -> group.rules().size()).sum();
                out.println(file + ": " + found.size() + " groups with " + rules + " rules");
              });
      DuplicateRules.of(groups).forEach(each -> out.println(file + ": warning: " + each));
      return isGood;
    }
  }

  /**
   * Reads a rule file and prints its problems and warnings.
   *
   * @param groups takes the groups of a file without problems, before warnings are printed
   * @return whether the file can be used
   */
  static boolean read(
      Path file, RuleFileReader reader, PrintWriter out, Consumer<List<RuleGroup>> groups) {
    try {
      byte[] text = Files.readAllBytes(file);
      groups.accept(reader.read("", file.toString(), text));
      RuleFileReader.unread(file.toString(), text)
          .ifPresent(warning -> out.println("warning: " + warning));
      return true;
    } catch (InvalidRules e) {
      e.problems().forEach(out::println);
    } catch (NoSuchFileException e) {
      out.println(file + ": there is no such file");
    } catch (IOException e) {
      out.println(file + ": the file cannot be read: " + e);
    }
    return false;
  }
}

package io.fleetgauge.runtime.process;

import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.log.Logs;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import picocli.CommandLine;

/** The entry point of the launcher: runs the commands of every module on the class path. */
@CommandLine.Command(
    name = "fleetgauge",
    description = "A metrics system for NVIDIA GPU clusters: agent, replicated storage, PromQL.",
    mixinStandardHelpOptions = true,
    version = "fleetgauge " + Main.VERSION,
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Commands of the repository's launcher:",
      "  test    Runs all tests; installs and downloads their dependencies.",
      "  mutate  Mutation testing of the named packages, or of all deciding ones.",
      "  bench   Runs the benchmarks, or those that match a pattern.",
      "  format  Formats the sources."
    })
public final class Main {
  /** The release, as in the names of archives and packages. */
  public static final String VERSION = "0.1.0";

  private Main() {}

  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  /** The launcher's command with those of every module on the class path. */
  public static CommandLine commandLine() {
    CommandLine line = new CommandLine(new Main());
    List<Command> commands =
        ServiceLoader.load(Command.class).stream()
            .map(ServiceLoader.Provider::get)
            .sorted(Comparator.comparing(command -> new CommandLine(command).getCommandName()))
            .toList();
    commands.forEach(line::addSubcommand);
    return line;
  }

  /**
   * Runs a command line and returns the process's exit code: 2 for wrong usage; for a failure, 1 or
   * what the command declares.
   */
  static int run(String... arguments) {
    Logs.toConsole(new LogSettings(LogSettings.Format.TEXT, LogSettings.Level.INFO));
    CommandLine line = commandLine();
    line.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          if (failure instanceof StartFailure || failure instanceof ConfigException) {
            command.getErr().println("fleetgauge: " + failure.getMessage());
          } else {
            failure.printStackTrace(command.getErr());
          }
          return command.getCommandSpec().exitCodeOnExecutionException();
        });
    if (arguments.length == 0) {
      line.usage(line.getOut());
      return 2;
    }
    return line.execute(arguments);
  }
}

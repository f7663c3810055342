package io.fleetgauge.runtime.terminal;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** A command that prints what it finds and ends: its usage, its output and its failures. */
public abstract class TerminalCommand implements Callable<Integer> {
  @CommandLine.Spec private CommandSpec spec;

  @CommandLine.Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  /**
   * Does the work.
   *
   * @return the exit code
   * @throws CommandFailure whose message is printed; the exit code is that which the command
   *     declares for exceptions, 1 by default
   */
  protected abstract int run() throws Exception;

  @Override
  public final Integer call() throws Exception {
    try {
      return run();
    } catch (CommandFailure e) {
      warn(e.getMessage());
      return spec.exitCodeOnExecutionException();
    } finally {
      out().flush();
    }
  }

  protected final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** Prints a line that is seen at once. */
  protected final void print(String line) {
    out().println(line);
    out().flush();
  }

  /** Says something that is not part of the output. */
  protected final void warn(String text) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("fleetgauge: " + text);
    err.flush();
  }

  /** Prints the usage where errors are printed. */
  final void usage() {
    spec.commandLine().usage(spec.commandLine().getErr());
  }

  /** A wrong command line: the usage is printed too, and the exit code is 2. */
  protected final CommandLine.ParameterException wrong(String message) {
    return new CommandLine.ParameterException(spec.commandLine(), message);
  }
}

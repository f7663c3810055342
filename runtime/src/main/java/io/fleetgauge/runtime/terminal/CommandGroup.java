package io.fleetgauge.runtime.terminal;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** A command that has only subcommands: alone, it prints its usage. */
public abstract class CommandGroup implements Callable<Integer> {
  private static final int WRONG_USAGE = 2;

  @CommandLine.Spec private CommandSpec spec;
  @CommandLine.Mixin private HelpOption help;

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return WRONG_USAGE;
  }
}

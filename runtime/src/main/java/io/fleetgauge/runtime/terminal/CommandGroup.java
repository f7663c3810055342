package io.fleetgauge.runtime.terminal;

/** A command that has only subcommands: alone, it prints its usage. */
public abstract class CommandGroup extends TerminalCommand {
  private static final int WRONG_USAGE = 2;

  @Override
  protected final int run() {
    usage();
    return WRONG_USAGE;
  }
}

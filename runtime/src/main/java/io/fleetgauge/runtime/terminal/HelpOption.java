package io.fleetgauge.runtime.terminal;

import picocli.CommandLine.Option;

/** The option by which a command prints its usage. */
public final class HelpOption {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;
}

package io.fleetgauge.runtime.terminal;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option that has a command print JSON instead of text for people. */
public final class FormatOption {
  private static final List<String> FORMATS = List.of("table", "json");

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  private String format;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table or json. Default: table.")
  void set(String text) {
    if (!FORMATS.contains(text)) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "--format is " + text + "; it may be table or json");
    }
    format = text;
  }

  public boolean isJson() {
    return format.equals("json");
  }
}

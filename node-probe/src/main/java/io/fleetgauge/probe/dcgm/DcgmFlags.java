package io.fleetgauge.probe.dcgm;

import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The flags of dcgm-exporter on a command. */
public final class DcgmFlags {
  private DcgmFlags() {}

  /** Adds them. */
  public static void addTo(CommandSpec command) {
    for (DcgmOptions.Option option : DcgmOptions.ALL) {
      OptionSpec.Builder flag =
          OptionSpec.builder(option.names().toArray(String[]::new))
              .type(String.class)
              .description("As in dcgm-exporter. " + option.meaning());
      command.addOption(
          option.takesValue()
              ? flag.arity("1").paramLabel("VALUE").build()
              : flag.arity("0..1").fallbackValue("true").paramLabel("BOOL").build());
    }
  }

  /** The flags that were given, by their first names. */
  public static Map<String, String> given(CommandSpec command) {
    Map<String, String> given = new HashMap<>();
    for (DcgmOptions.Option option : DcgmOptions.ALL) {
      String name = option.names().getFirst();
      String value = command.findOption(name).getValue();
      if (value != null) {
        given.put(name, value);
      }
    }
    return given;
  }
}

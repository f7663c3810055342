package io.fleetgauge.distribution.packages;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** A command as a manual page of section 1, in the macros of man(7). */
final class ManPage {
  private static final SortedMap<String, String> EXIT_STATUS =
      new TreeMap<>(
          Map.of(
              "0", "Success.",
              "1", "Failure; the last line on standard error has the reason.",
              "2", "Wrong usage."));

  private final StringBuilder out = new StringBuilder();

  private ManPage() {}

  /**
   * @param name of the page
   * @param date of the page, as 2026-01-31
   */
  static String of(CommandLine command, String name, String version, String date) {
    return new ManPage().write(command, name, version, date);
  }

  private String write(CommandLine command, String name, String version, String date) {
    CommandSpec spec = command.getCommandSpec();
    List<String> description = List.of(spec.usageMessage().description());
    line(".TH %s 1 \"%s\" \"fleetgauge %s\" \"Fleetgauge\"", escaped(name), date, escaped(version));
    section("NAME");
    text(name + " - " + (description.isEmpty() ? spec.name() : description.getFirst()));
    section("SYNOPSIS");
    text(command.getHelp().synopsis(0).replace("%n", " ").strip().replaceAll("\\s+", " "));
    section("DESCRIPTION");
    description.forEach(this::paragraph);
    if (!spec.positionalParameters().isEmpty()) {
      section("ARGUMENTS");
      spec.positionalParameters()
          .forEach(each -> item("\\fI" + escaped(each.paramLabel()) + "\\fR", words(each)));
    }
    List<OptionSpec> options = spec.options().stream().filter(each -> !each.hidden()).toList();
    if (!options.isEmpty()) {
      section("OPTIONS");
      options.forEach(each -> item(names(each), words(each)));
    }
    if (!spec.subcommands().isEmpty()) {
      section("COMMANDS");
      spec.subcommands()
          .forEach(
              (subcommand, line) ->
                  item(
                      "\\fB" + escaped(subcommand) + "\\fR",
                      String.join(" ", line.getCommandSpec().usageMessage().description())
                          + " See "
                          + name
                          + "-"
                          + subcommand
                          + "(1)."));
    }
    section("ENVIRONMENT");
    item("\\fBFLEETGAUGE_HEAP\\fR", "Maximum heap of the JVM, such as 4g.");
    item("\\fBFLEETGAUGE_JAVA_OPTIONS\\fR", "Further flags for the JVM.");
    section("EXIT STATUS");
    Map<String, String> own = spec.usageMessage().exitCodeList();
    (own.isEmpty() ? EXIT_STATUS : own).forEach(this::item);
    return out.toString();
  }

  private static String names(OptionSpec option) {
    String names =
        List.of(option.names()).stream()
            .map(each -> "\\fB" + escaped(each) + "\\fR")
            .collect(Collectors.joining(", "));
    return option.arity().max() == 0
        ? names
        : names + "=\\fI" + escaped(option.paramLabel()) + "\\fR";
  }

  private static String words(ArgSpec of) {
    return String.join(" ", of.description());
  }

  private void section(String title) {
    line(".SH %s", title);
  }

  private void item(String term, String words) {
    line(".TP");
    line("%s", term);
    text(words);
  }

  private void paragraph(String words) {
    line(".PP");
    text(words);
  }

  private void text(String words) {
    for (String each : Ansi.OFF.string(words.replace("%n", "\n").replace("%%", "%")).split("\n")) {
      String escaped = escaped(each.strip());
      // A line that begins with a point or an apostrophe would be a macro.
      line("%s", escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped);
    }
  }

  private void line(String form, Object... values) {
    out.append(form.formatted(values)).append('\n');
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\e").replace("-", "\\-");
  }
}

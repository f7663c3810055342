package io.fleetgauge.distribution.packages;

import io.fleetgauge.runtime.process.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.AutoComplete;
import picocli.CommandLine;

/**
 * Writes manual pages and completions into a folder.
 *
 * @param share the folder {@code share}
 * @param date of the pages, as 2026-01-31
 */
public record Manual(Path share, String version, String date) {
  private static final String LAUNCHER = "fleetgauge";

  /**
   * Writes the page of a process that has a launcher of its own, such as {@code fleetgauge-probe}.
   */
  public void ofProcess(String command) throws IOException {
    CommandLine line =
        new CommandLine(Main.commandLine().getSubcommands().get(command).getCommand());
    String name = LAUNCHER + "-" + command;
    line.setCommandName(name);
    page(line, name);
    complete(line, name);
  }

  /**
   * Writes the pages of the launcher {@code fleetgauge} with some commands, and of each of these.
   */
  public void ofLauncher(List<String> commands) throws IOException {
    CommandLine line = Main.commandLine();
    Set<String> others = new TreeSet<>(line.getSubcommands().keySet());
    others.removeAll(commands);
    others.forEach(other -> line.getCommandSpec().removeSubcommand(other));
    pages(line, LAUNCHER);
    complete(line, LAUNCHER);
  }

  private void pages(CommandLine line, String name) throws IOException {
    page(line, name);
    for (var each : line.getSubcommands().entrySet()) {
      pages(each.getValue(), name + "-" + each.getKey());
    }
  }

  private void page(CommandLine line, String name) throws IOException {
    Path file = share.resolve("man/man1").resolve(name + ".1");
    Files.createDirectories(file.getParent());
    Files.writeString(file, ManPage.of(line, name, version, date));
  }

  private void complete(CommandLine line, String name) throws IOException {
    Path file = share.resolve("bash-completion/completions").resolve(name);
    Files.createDirectories(file.getParent());
    // A shell sources it, so it needs no #! line.
    Files.writeString(file, AutoComplete.bash(name, line).replaceFirst("^#!.*\n+", ""));
  }
}

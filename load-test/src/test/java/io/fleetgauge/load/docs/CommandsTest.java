package io.fleetgauge.load.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.process.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Commands and options that documents name are those that there are. */
class CommandsTest {
  /** Where a command line begins: after a prompt, a variable, or what runs before it. */
  private static final Pattern COMMAND =
      Pattern.compile(
          "(?:^\\s*(?:\\$ )?(?:[A-Z_]+=\\S+ )*|\\$\\(|&& |; )"
              + "(?:\\S*/)?fleetgauge(?:-(probe|gateway|query))? ([^ |#`)>][^|#`)>]*)");

  /** Commands of the repository's launcher: cases of the script. */
  private static final Pattern LAUNCHED = Pattern.compile("(?m)^  ([a-z][a-z |-]*)\\)$");

  private static final String OPERATOR = "io.fleetgauge.operator.";

  private final CommandLine commands = Main.commandLine();
  private final Set<String> launched = new HashSet<>();

  CommandsTest() throws IOException {
    LAUNCHED
        .matcher(Files.readString(Prose.ROOT.resolve("fleetgauge")))
        .results()
        .forEach(each -> launched.addAll(List.of(each.group(1).split(" \\| "))));
    launched.removeAll(commands.getSubcommands().keySet());
    assertThat(launched).contains("test", "format", "package");
  }

  @Test
  void everyCommandLineInADocumentIsAccepted() throws IOException {
    List<String> wrong = new ArrayList<>();
    int checked = 0;
    for (Prose document : Prose.all().values()) {
      List<Prose.Piece> code = new ArrayList<>(document.spans());
      code.addAll(joined(document.blocks()));
      for (Prose.Piece piece : code) {
        Matcher found = COMMAND.matcher(piece.text());
        while (found.find()) {
          checked++;
          problem(found.group(1), found.group(2)).ifPresent(why -> wrong.add(piece + ": " + why));
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(checked).isGreaterThan(50);
  }

  @Test
  void everyCommandOfOperatorsIsInstalled() throws IOException {
    List<String> names = new ArrayList<>();
    commands
        .getSubcommands()
        .forEach(
            (name, command) -> {
              if (command.getCommand().getClass().getName().startsWith(OPERATOR)) {
                names.add(name);
              }
            });
    assertThat(names).contains("status", "faults", "diagnose");
    for (String file :
        List.of(
            "fleetgauge",
            "distribution/src/main/bin/fleetgauge",
            "distribution/src/main/java/io/fleetgauge/distribution/process/ShippedProcess.java")) {
      String text = Files.readString(Prose.ROOT.resolve(file));
      assertThat(names)
          .as("commands that %s names", file)
          .allMatch(
              name -> Pattern.compile("[ \"]" + name + "(?: [|]|[)\"])").matcher(text).find());
    }
  }

  /** Lines with those that continue them. */
  private static List<Prose.Piece> joined(List<Prose.Piece> lines) {
    List<Prose.Piece> joined = new ArrayList<>();
    Prose.Piece open = null;
    for (Prose.Piece line : lines) {
      String text = line.text().stripTrailing();
      Prose.Piece whole =
          open == null
              ? new Prose.Piece(line.document(), line.line(), text)
              : new Prose.Piece(open.document(), open.line(), open.text() + " " + text.strip());
      boolean goesOn = text.endsWith("\\");
      if (goesOn) {
        open =
            new Prose.Piece(
                whole.document(),
                whole.line(),
                whole.text().substring(0, whole.text().length() - 1).stripTrailing());
      } else {
        joined.add(whole);
        open = null;
      }
    }
    return joined;
  }

  private Optional<String> problem(String process, String line) {
    List<String> words = new ArrayList<>(List.of(line.strip().split("\\s+")));
    if (process != null && !commands.getSubcommands().containsKey(words.getFirst())) {
      words.addFirst(process);
    }
    if (launched.contains(words.getFirst())) {
      return Optional.empty();
    }
    CommandLine command = commands;
    Set<String> options = new HashSet<>(Set.of("--no-install"));
    int at = 0;
    while (at < words.size() && command.getSubcommands().containsKey(words.get(at))) {
      command = command.getSubcommands().get(words.get(at));
      options.addAll(command.getCommandSpec().optionsMap().keySet());
      at++;
    }
    if (at == 0 && !words.getFirst().startsWith("-")) {
      return Optional.of("there is no command " + words.getFirst());
    }
    options.addAll(commands.getCommandSpec().optionsMap().keySet());
    for (String word : words.subList(at, words.size())) {
      String option = word.replaceFirst("^\\[", "").replaceFirst("[=\\],.;].*", "");
      if (option.startsWith("--") && !options.contains(option)) {
        return Optional.of(command.getCommandName() + " has no option " + option);
      }
    }
    return Optional.empty();
  }
}

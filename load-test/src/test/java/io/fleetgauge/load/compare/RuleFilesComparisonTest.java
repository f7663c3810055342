package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.load.fleet.PeerPrograms;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.TemplateCheck;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rule files are read as by the real promtool and Prometheus. */
class RuleFilesComparisonTest {
  private static final long SEED = Long.getLong("fleetgauge.rules.seed", 20_261_124);
  private static final int FILES = Integer.getInteger("fleetgauge.rules.damaged", 500);
  private static final Path GOOD = Path.of("src/test/rules/all-forms.yaml");
  private static final RuleFileReader READER =
      new RuleFileReader(ParseOptions.STOCK, TemplateCheck.TEMPLATES, 60_000);

  @TempDir Path folder;

  @Test
  void aDamagedFileIsRefusedIfAndOnlyIfPromtoolRefusesIt() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    String good = Files.readString(GOOD);
    List<Path> files = new ArrayList<>();
    for (int i = 0; i < FILES; i++) {
      files.add(Files.writeString(folder.resolve("r" + i + ".yaml"), DamagedText.of(good, random)));
    }
    Map<String, String> refusals = promtool(files);
    List<String> differences = new ArrayList<>();
    int refused = 0;
    for (Path file : files) {
      String promtool = refusals.getOrDefault(file.toString(), "");
      String ours = ours(file);
      refused += ours.isEmpty() ? 0 : 1;
      // Prometheus reads [5 m] as [5s:].
      if (promtool.isEmpty() != ours.isEmpty() && !ours.contains(" in range selector")) {
        differences.add(
            "promtool: " + promtool + "\nours: " + ours + "\nof\n" + Files.readString(file));
      }
    }
    assertThat(differences).isEmpty();
    assertThat(refused).isBetween(FILES / 3, FILES * 19 / 20);
  }

  private static String ours(Path file) throws IOException {
    try {
      READER.read("", file.toString(), Files.readAllBytes(file));
      return "";
    } catch (InvalidRules e) {
      assertThat(e.problems())
          .as("%s", e.getMessage())
          .allMatch(problem -> problem.line() > 0 && problem.column() > 0);
      return e.getMessage();
    }
  }

  /** Output of promtool about the files that it refuses. */
  private static Map<String, String> promtool(List<Path> files) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(PeerPrograms.program("promtool").toString());
    command.addAll(List.of("check", "rules"));
    files.forEach(file -> command.add(file.toString()));
    Path out = files.getFirst().resolveSibling("promtool.out");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile()).start();
    process.waitFor();
    Map<String, String> refusals = new TreeMap<>();
    String file = "";
    for (String line : Files.readString(out, StandardCharsets.UTF_8).split("\n")) {
      if (line.startsWith("Checking ")) {
        file = line.substring("Checking ".length());
      } else if (line.contains("SUCCESS") || line.contains("duplicate rule(s) found")) {
        refusals.remove(file);
        file = "";
      } else if (!file.isEmpty()) {
        refusals.merge(file, line, (a, b) -> a + "\n" + b);
      }
    }
    refusals.values().removeIf(text -> text.strip().equals("FAILED:"));
    return refusals;
  }
}

package io.fleetgauge.promql.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Prometheus's own scripts. What is known to fail stands in {@code known-failures.txt}, each with
 * its reason; a case that begins to pass must leave it.
 */
class SharedScriptsTest {
  private static final Path FOLDER =
      Path.of(System.getProperty("fleetgauge.root"), "promql/src/test/promqltest");

  private static final TreeSet<String> FAILED = new TreeSet<>();
  private static final Map<CaseClass, int[]> COUNTS = new EnumMap<>(CaseClass.class);

  @BeforeAll
  static void runAll() throws Exception {
    for (CaseClass kind : CaseClass.values()) {
      COUNTS.put(kind, new int[2]);
    }
    try (Stream<Path> files = Files.list(FOLDER)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".test")).toList()) {
        for (CaseResult result : ScriptRunner.run(Files.readString(file))) {
          int[] count = COUNTS.get(result.kind());
          count[1]++;
          if (result.passed()) {
            count[0]++;
          } else {
            FAILED.add(file.getFileName() + ":" + result.line());
          }
        }
      }
    }
  }

  @Test
  void exactlyTheKnownFailuresFail() throws Exception {
    TreeSet<String> known = new TreeSet<>();
    for (String line : Files.readAllLines(FOLDER.resolve("known-failures.txt"))) {
      if (!line.isBlank() && !line.startsWith("#")) {
        known.add(line.split("\\s")[0]);
      }
    }
    TreeSet<String> broken = new TreeSet<>(FAILED);
    broken.removeAll(known);
    TreeSet<String> mended = new TreeSet<>(known);
    mended.removeAll(FAILED);
    assertThat(broken).as("cases that no longer pass").isEmpty();
    assertThat(mended).as("cases that pass now and must leave the list").isEmpty();
  }

  @Test
  void everyCaseOfTheScriptsIsRun() throws Exception {
    List<String> manifest = Files.readAllLines(FOLDER.resolve("MANIFEST.tsv"));
    assertThat(COUNTS.values().stream().mapToInt(count -> count[1]).sum())
        .isEqualTo(manifest.size() - 1);
  }
}

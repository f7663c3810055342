package io.fleetgauge.load.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Figures in documents that follow from files of the tree. */
class FiguresTest {
  private static final Pattern ALERT = Pattern.compile(" *- alert: .*");

  private static String document(String name) throws IOException {
    return Files.readString(Prose.ROOT.resolve(name));
  }

  private static long alerts(String folder) throws IOException {
    long alerts = 0;
    Path rules = Prose.ROOT.resolve("distribution/src/main/rules").resolve(folder);
    try (Stream<Path> files = Files.list(rules)) {
      for (Path file : files.toList()) {
        alerts += Files.readAllLines(file).stream().filter(ALERT.asMatchPredicate()).count();
      }
    }
    return alerts;
  }

  @Test
  void asManyAlertsAreBundledAsDocumentsSay() throws IOException {
    for (String page : List.of("docs/alerting.md", "CHANGELOG.md")) {
      assertThat(document(page))
          .as(page)
          .containsPattern("\\b" + alerts("fleetgauge") + "\\s+(\\[bundled )?alerts")
          .containsPattern("\\b" + alerts("itself") + "\\s+(alerts are )?about");
    }
  }

  /** The number of panels is asserted by the test of the demo's dashboards. */
  @Test
  void asManyPanelsDrawAsDocumentsSay() throws IOException {
    long empty =
        Files.readAllLines(Prose.ROOT.resolve("load-test/src/test/dashboards/empty-panels.tsv"))
            .size();
    for (String page : List.of("docs/migrate.md", "docs/demo.md")) {
      assertThat(document(page))
          .as(page)
          .containsPattern((386 - empty) + "\\s+of\\s+386\\s+panels");
    }
  }
}

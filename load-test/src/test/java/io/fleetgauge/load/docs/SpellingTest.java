package io.fleetgauge.load.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Words are spelled as in the names of metrics: utilization, license. */
class SpellingTest {
  private static final Pattern BRITISH =
      Pattern.compile(
          "(?<![\\w/.`])\\w*(?:tilisation|chronis|cognis|elabell|cancell(?:ed|ing)|neighbour|itialis"
              + "|optimis|normalis|organis|behaviour|colour|favour|catalogue|licence)\\w*(?![\\w/`])",
          Pattern.CASE_INSENSITIVE);

  @Test
  void documentsAndTheHelpOfMetricsHaveOneSpelling() throws IOException {
    List<Path> texts = new ArrayList<>();
    Prose.all().values().forEach(each -> texts.add(each.file()));
    Path metrics = Prose.ROOT.resolve("sample-model/src/main/resources/io/fleetgauge/sample");
    texts.add(metrics.resolve("gpu/gpu-metrics.tsv"));
    texts.add(metrics.resolve("prometheus/host-metrics.csv"));
    List<String> found = new ArrayList<>();
    for (Path text : texts) {
      Matcher word = BRITISH.matcher(Files.readString(text));
      while (word.find()) {
        found.add(Prose.ROOT.relativize(text) + ": " + word.group());
      }
    }
    assertThat(found).isEmpty();
  }
}

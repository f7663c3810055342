package io.fleetgauge.distribution.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Values that must not be installed, from {@code wrong-values.tsv}: each is refused by Helm with
 * the key, the value and the reason. A value that is wrong by its type is told by its type.
 */
class WrongValuesTest {
  @TempDir private Path folder;

  private record Wrong(String values, List<String> told) {}

  private static List<Wrong> wrong() throws IOException {
    List<Wrong> all = new ArrayList<>();
    try (InputStream in =
        WrongValuesTest.class.getResourceAsStream("/kubernetes/wrong-values.tsv")) {
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
        if (!line.isBlank() && !line.startsWith("#")) {
          List<String> cells = List.of(line.split("\t+"));
          all.add(new Wrong(cells.getFirst(), cells.subList(1, cells.size())));
        }
      }
    }
    return all;
  }

  @Test
  void eachOfAHundredWrongValuesIsRefusedWithKeyValueAndReason() throws IOException {
    FleetgaugeChart chart = new FleetgaugeChart(folder);
    List<Wrong> all = wrong();
    assertThat(all).hasSizeGreaterThanOrEqualTo(100);
    List<String> failures = new ArrayList<>();
    for (Wrong each : all) {
      assertThat(each.told()).as(each.values()).hasSize(3);
      String refusal = chart.refusal(each.values());
      if (!each.told().stream().allMatch(refusal::contains)) {
        failures.add(each.values() + "\n  expected " + each.told() + "\n  " + refusal);
      }
    }
    assertThat(String.join("\n", failures)).isEmpty();
  }
}

package io.fleetgauge.sample.relabel;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The rest is compared with Prometheus itself, in load-test. */
class RelabellingTest {
  private static final Labels GPU =
      Labels.of("__name__", "util", "gpu", "0", "Hostname", "n1", "modelName", "NVIDIA H100");

  private static Relabelling rules(List<Map<String, Object>> rules, List<String> problems) {
    List<RelabelRule> read = new ArrayList<>();
    for (Map<String, Object> fields : rules) {
      new RelabelFields(fields, (field, what) -> problems.add(field + ": " + what))
          .rule()
          .ifPresent(read::add);
    }
    return new Relabelling(read);
  }

  private static Optional<Labels> apply(Labels labels, List<Map<String, Object>> fields) {
    List<String> problems = new ArrayList<>();
    Relabelling rules = rules(fields, problems);
    assertThat(problems).isEmpty();
    return rules.apply(labels);
  }

  @Test
  void noRulesChangeNothing() {
    assertThat(Relabelling.NONE.apply(GPU)).containsSame(GPU);
  }

  @Test
  void aRuleSeesWhatTheRulesBeforeItMade() {
    assertThat(
            apply(
                GPU,
                List.of(
                    Map.of("source_labels", List.of("Hostname", "gpu"), "target_label", "id"),
                    Map.of("source_labels", List.of("id"), "regex", "n1;0", "action", "keep"),
                    Map.of("regex", "id|modelName", "action", "labeldrop"))))
        .contains(Labels.of("__name__", "util", "gpu", "0", "Hostname", "n1"));
  }

  @Test
  void anEmptyReplacementRemovesTheLabel() {
    assertThat(apply(GPU, List.of(Map.of("target_label", "gpu", "replacement", ""))))
        .contains(GPU.without("gpu"));
  }

  @Test
  void aHashIsThatOfPrometheus() {
    assertThat(
            apply(
                    Labels.of("a", "foo", "b", "bar", "c", "baz"),
                    List.of(
                        Map.of(
                            "source_labels",
                            List.of("c"),
                            "target_label",
                            "d",
                            "action",
                            "hashmod",
                            "modulus",
                            1_000)))
                .orElseThrow()
                .value("d"))
        .isEqualTo("976");
  }

  @Test
  void aHundredThousandDamagedRulesAreReadOrRefusedAndNeverCrash() {
    SplittableRandom random = new SplittableRandom(20_261_124);
    Object[] values = {
      null,
      "",
      "a",
      "$1",
      "(.*)",
      "(",
      "${",
      "é",
      5,
      -1,
      1.5,
      true,
      "keep",
      "Replace",
      "hashmod",
      "labelmap",
      "labelkeep",
      "dropequal",
      "lowercase",
      "drop",
      Double.NaN,
      Long.MAX_VALUE,
      List.of(),
      List.of("gpu"),
      List.of("", "a"),
      Arrays.asList("a", null),
      Map.of("a", 1),
      List.of(List.of()),
      "[[:alpha:]]*+",
      "(?i)N1",
      "__name__",
      "(a|b)*(.*)",
      ";"
    };
    String[] names = {
      "source_labels", "separator", "regex", "modulus", "target_label", "replacement", "action", "x"
    };
    int accepted = 0;
    for (int i = 0; i < 100_000; i++) {
      Map<String, Object> fields = new HashMap<>();
      for (int n = random.nextInt(6); n > 0; n--) {
        fields.put(
            names[random.nextInt(7) + random.nextInt(16) / 15],
            values[random.nextInt(values.length)]);
      }
      List<String> problems = new ArrayList<>();
      Relabelling read = rules(List.of(fields), problems);
      assertThat(read.isEmpty()).as("%s", fields).isEqualTo(!problems.isEmpty());
      accepted += read.isEmpty() ? 0 : 1;
      try {
        read.apply(GPU);
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessage("a label has an empty name");
      }
    }
    assertThat(accepted).isBetween(2_000, 90_000);
  }
}

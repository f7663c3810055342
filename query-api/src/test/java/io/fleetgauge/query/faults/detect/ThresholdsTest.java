package io.fleetgauge.query.faults.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.runtime.yaml.YamlTree;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ThresholdsTest {
  private static final Path FAULTS =
      Path.of(
          System.getProperty("fleetgauge.root"),
          "query-api/src/main/java/io/fleetgauge/query/faults");

  private static String file() throws IOException {
    try (var in = Thresholds.class.getResourceAsStream("fault-thresholds.yaml")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** The entries of the file as text, by kind. */
  private static Map<String, String> entries() throws IOException {
    Map<String, String> entries = new TreeMap<>();
    for (String block : file().split("\n\n")) {
      for (String line : block.lines().filter(each -> each.matches("\\w+:")).toList()) {
        entries.put(line.substring(0, line.length() - 1), block);
      }
    }
    return entries;
  }

  @ParameterizedTest
  @EnumSource
  void everyKindHasAnEntryThatSaysWhenItIsOver(FaultKind kind) {
    assertThat(Thresholds.defaults().of(kind).quietMillis()).isNotNegative();
    assertThat(Thresholds.defaults().of(kind).severity()).isEqualTo(kind.severity());
  }

  @ParameterizedTest
  @EnumSource
  void everyEntryOfAHostOrGpuHasAReasonAndASource(FaultKind kind) throws IOException {
    if (kind.scope() != FaultKind.Scope.JOB) {
      assertThat(entries().get(kind.text())).contains("# reason: ", "# source: ");
    }
  }

  @Test
  void theFileHasNoOtherKinds() throws Exception {
    for (var entry : YamlTree.read(file()).properties()) {
      assertThat(FaultKind.find(entry.getKey())).as(entry.getKey()).isPresent();
    }
  }

  @Test
  void everyNumberOfTheFileIsOneThatADetectorReads() throws Exception {
    StringBuilder code = new StringBuilder();
    try (Stream<Path> files = Files.walk(FAULTS)) {
      for (Path each : files.filter(f -> f.toString().endsWith(".java")).toList()) {
        code.append(Files.readString(each));
      }
    }
    try (InputStream in = SignTable.class.getResourceAsStream("fault-signs.tsv")) {
      String signs = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      code.append(signs.replaceAll("\\w+", "\"$0\""));
    }
    JsonNode root = YamlTree.read(file());
    for (FaultKind kind : FaultKind.values()) {
      if (kind.scope() == FaultKind.Scope.JOB) {
        continue;
      }
      root.path(kind.text())
          .fieldNames()
          .forEachRemaining(
              key -> assertThat(code).as(kind.text() + "." + key).contains("\"" + key + "\""));
    }
  }

  @Test
  void everyNumberThatADetectorReadsIsInTheFile() {
    assertThat(Detectors.ofHost(Thresholds.defaults())).isNotEmpty();
    assertThat(Detectors.ofJob(Thresholds.defaults())).isNotNull();
    assertThatThrownBy(() -> Thresholds.defaults().of(FaultKind.HOT).number("kelvin"))
        .hasMessage("fault-thresholds.yaml has no hot.kelvin");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "warm: {margin: 3}      | warm is no kind of fault; docs/faults.md has them",
        "hot: {degrees: 3}      | hot.degrees is unknown; known is [",
        "hot: {margin: much}    | hot.margin: much is no number; times are in seconds, without",
        "hot: {after: 30s}      | hot.after: 30s is no number; times are in seconds, without a"
            + " unit",
        "hot: {margin: .inf}    | hot.margin: .inf is no number",
        "hot: {margin: }        | hot.margin: null is no number",
        "hot: {margin: [1, 2]}  | hot.margin: [1,2] is no number",
        "hot: {severity: loud}  | hot.severity: loud is not allowed; allowed is info, warning or",
        "hot: 3                 | hot has no keys"
      })
  void anEntryThatCannotBeUsedIsLeftOutAndToldAndTheOthersAreUsed(String yaml, String message)
      throws InvalidThresholds {
    List<String> leftOut = new ArrayList<>();
    Thresholds own =
        Thresholds.defaults().with("own.yaml", yaml + "\nmemory_hot: {quiet: 77}\n", leftOut::add);
    assertThat(leftOut).hasSize(1);
    assertThat(leftOut.getFirst()).startsWith("own.yaml: " + message);
    assertThat(own.of(FaultKind.MEMORY_HOT).number("quiet")).isEqualTo(77);
    assertThat(own.of(FaultKind.HOT).number("margin")).isEqualTo(5);
    assertThat(own.of(FaultKind.HOT).severity()).isEqualTo(FaultKind.HOT.severity());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "- hot                      | own.yaml: kinds of faults with their thresholds are expected",
        "hot: {margin: 3            | own.yaml: "
      })
  void aFileOfASiteWithoutEntriesSaysWhere(String yaml, String message) {
    assertThatThrownBy(() -> Thresholds.defaults().with("own.yaml", yaml, none -> {}))
        .isInstanceOf(InvalidThresholds.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void whatAFileOfASiteLeavesOutStays() throws InvalidThresholds {
    Thresholds own =
        Thresholds.defaults()
            .with("own.yaml", "hot: {margin: 2.5, severity: critical}\n", none -> {});
    Thresholds.OfKind hot = own.of(FaultKind.HOT);
    assertThat(hot.number("margin")).isEqualTo(2.5);
    assertThat(hot.severity()).isEqualTo(Severity.CRITICAL);
    assertThat(hot.number("celsius"))
        .isEqualTo(Thresholds.defaults().of(FaultKind.HOT).number("celsius"));
    assertThat(Thresholds.defaults().of(FaultKind.HOT).number("margin")).isEqualTo(5);
    assertThat(Thresholds.defaults().with("empty.yaml", "", none -> {}).of(FaultKind.HANG))
        .isNotNull();
  }
}

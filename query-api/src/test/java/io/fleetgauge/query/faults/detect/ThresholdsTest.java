package io.fleetgauge.query.faults.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.runtime.yaml.YamlTree;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
        "warm: {margin: 3}          | own.yaml: warm is no kind of fault",
        "hot: {degrees: 3}          | own.yaml: hot.degrees is unknown; known is [",
        "hot: {margin: much}        | own.yaml: hot.margin: much is no number",
        "hot: {margin: .inf}        | own.yaml: hot.margin: .inf is no number",
        "hot: {severity: loud}      | own.yaml: hot.severity: loud is not allowed; allowed is info",
        "hot: 3                     | own.yaml: hot has no keys",
        "- hot                      | own.yaml: kinds of faults with their thresholds are expected",
        "hot: {margin: 3            | own.yaml: "
      })
  void aFileOfASiteThatCannotBeUsedSaysWhere(String yaml, String message) {
    assertThatThrownBy(() -> Thresholds.defaults().with("own.yaml", yaml))
        .isInstanceOf(InvalidThresholds.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void whatAFileOfASiteLeavesOutStays() throws InvalidThresholds {
    Thresholds own =
        Thresholds.defaults().with("own.yaml", "hot: {margin: 2.5, severity: critical}\n");
    Thresholds.OfKind hot = own.of(FaultKind.HOT);
    assertThat(hot.number("margin")).isEqualTo(2.5);
    assertThat(hot.severity()).isEqualTo(Severity.CRITICAL);
    assertThat(hot.number("celsius"))
        .isEqualTo(Thresholds.defaults().of(FaultKind.HOT).number("celsius"));
    assertThat(Thresholds.defaults().of(FaultKind.HOT).number("margin")).isEqualTo(5);
    assertThat(Thresholds.defaults().with("empty.yaml", "").of(FaultKind.HANG)).isNotNull();
  }
}

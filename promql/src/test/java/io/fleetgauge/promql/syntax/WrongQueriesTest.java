package io.fleetgauge.promql.syntax;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WrongQueriesTest {
  private static Stream<Arguments> table() throws Exception {
    Path file = Path.of(System.getProperty("fleetgauge.root"), "promql/src/test/queries/wrong.tsv");
    List<String> lines = Files.readAllLines(file);
    assertThat(lines).hasSizeGreaterThan(100);
    return lines.stream()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("\t"))
        .map(columns -> Arguments.of(columns[0], columns[1]));
  }

  @ParameterizedTest
  @MethodSource("table")
  void aWrongQueryIsAnErrorWithItsPositionAndReason(String query, String error) {
    assertThat(error).matches("\\d+:\\d+: parse error: .+");
    assertThatThrownBy(() -> Parser.parse(query))
        .isInstanceOf(ParseException.class)
        .hasMessage(error);
  }

  @Test
  void whatIsTooLargeIsRefusedByItsSize() {
    String deep = "(".repeat(10_000) + "a" + ")".repeat(10_000);
    assertThatThrownBy(() -> Parser.parse(deep))
        .hasMessage("1:251: parse error: the expression nests deeper than 250 levels");
    assertThatThrownBy(() -> Parser.parse("a".repeat(1 << 20)))
        .hasMessage(
            "unknown position: parse error: the query has 1048576 characters, allowed are 524288");
    assertThatThrownBy(() -> Parser.parse("a{b=~\"" + "c".repeat(100_000) + "\"}"))
        .hasMessage(
            "1:3: parse error: a regular expression of 100000 characters is too long, allowed are"
                + " 65536");
    assertThatThrownBy(() -> Parser.parse("a" + " + a".repeat(10_000)))
        .hasMessageContaining("the query has more than 2000 operators");
  }
}

package io.fleetgauge.runtime.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextTableTest {
  @Test
  void columnsAreAlignedAndFiguresFlushedRight() {
    assertThat(new TextTable("NAME", ">COUNT").row("a", 5).row("longer", 1_234).text())
        .isEqualTo("NAME    COUNT\na           5\nlonger   1234\n");
  }

  @Test
  void theWidestColumnGivesWayUntilTheTableFits() {
    String text = new TextTable("A", "B", ">N").row("x".repeat(300), "y".repeat(30), 7).text();
    assertThat(text.lines()).allMatch(line -> line.length() <= TextTable.WIDTH);
    assertThat(text).contains("x..").contains("y".repeat(30)).endsWith("7\n");
  }

  @Test
  void namesCannotObeyTheTerminal() {
    assertThat(new TextTable("A").row("a\u001b[31m\nb").text()).isEqualTo("A\na [31m b\n");
  }

  @Test
  void aRowHasACellForEachColumn() {
    assertThatThrownBy(() -> new TextTable("A", "B").row(1))
        .hasMessage("1 cells in a table of 2 columns");
  }

  @Test
  void longTextsAreWrappedBetweenWords() {
    String text = TextTable.wrapped(4, "word ".repeat(60).strip(), 8);
    assertThat(text.lines()).hasSize(3).allMatch(line -> line.length() <= TextTable.WIDTH);
    assertThat(text).startsWith("    word word").contains("\n        word");
  }

  @ParameterizedTest
  @CsvSource({"0, 0 B", "1023, 1023 B", "1536, 1.5 KiB", "1073741824, 1.0 GiB"})
  void bytesHaveUnits(long bytes, String text) {
    assertThat(Figures.bytes(bytes)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"12, 12 ms", "1500, 1.5 s", "180000, 3 min", "9000000, 2.5 h", "216000000, 2.5 d"})
  void lengthsOfTimeHaveUnits(long millis, String text) {
    assertThat(Figures.duration(millis)).isEqualTo(text);
  }

  @Test
  void whatIsNotKnownIsNotZero() {
    assertThat(Figures.bytesOf(null)).isEqualTo("-");
    assertThat(Figures.durationOf(null)).isEqualTo("-");
    assertThat(Figures.percent(1, 0)).isEqualTo("-");
    assertThat(Figures.change(3, 1)).isEqualTo("+2");
    assertThat(Figures.change(1, 3_000)).isEqualTo("-2,999");
    assertThat(Figures.change(1, 1)).isEqualTo("0");
  }
}

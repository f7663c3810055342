package io.fleetgauge.runtime.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ParagraphTest {
  @Test
  void namesCannotObeyTheTerminal() {
    assertThat(Paragraph.wrapped("a\u001b[31m\nb")).isEqualTo("a [31m b\n");
  }

  @Test
  void longTextsAreWrappedBetweenWords() {
    String text = Paragraph.wrapped(4, "word ".repeat(60).strip(), 8);
    assertThat(text.lines()).hasSize(3).allMatch(line -> line.length() <= Paragraph.WIDTH);
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

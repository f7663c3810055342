package io.fleetgauge.sample.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.TextExpositionReader.BadLine;
import io.fleetgauge.sample.prometheus.TextExpositionReader.Sample;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines as /federate writes them, and that our own reader understands them. */
class ExpositionLineTest {
  @Test
  void aLineBeginsWithNameLabelsAndABlank() {
    Labels labels = Labels.of(Labels.NAME, "up", "instance", "n1", "job", "j");
    assertThat(ExpositionLine.start(labels, NameEscaping.ALLOW_UTF_8))
        .isEqualTo("up{instance=\"n1\",job=\"j\"} ");
    assertThat(ExpositionLine.start(labels, NameEscaping.UNDERSCORES))
        .isEqualTo("up{instance=\"n1\",job=\"j\"} ");
  }

  @Test
  void aSeriesWithoutTheLabelInstanceGetsAnEmptyOne() {
    assertThat(
            ExpositionLine.start(
                Labels.of(Labels.NAME, "up", "job", "j"), NameEscaping.ALLOW_UTF_8))
        .isEqualTo("up{job=\"j\",instance=\"\"} ");
    assertThat(ExpositionLine.start(Labels.of(Labels.NAME, "up"), NameEscaping.ALLOW_UTF_8))
        .isEqualTo("up{instance=\"\"} ");
  }

  @Test
  void aNameThatNeedsQuotesStandsAmongTheLabelsOrGetsUnderscores() {
    Labels labels = Labels.of(Labels.NAME, "a.b", "c-d", "1");
    assertThat(ExpositionLine.start(labels, NameEscaping.ALLOW_UTF_8))
        .isEqualTo("{\"a.b\",\"c-d\"=\"1\",instance=\"\"} ");
    assertThat(ExpositionLine.start(labels, NameEscaping.UNDERSCORES))
        .isEqualTo("a_b{c_d=\"1\",instance=\"\"} ");
  }

  @Test
  void backslashesQuotesAndLineFeedsAreEscaped() {
    Labels labels = Labels.of(Labels.NAME, "a\"\n\\b", "x", "1\\2\"3\n4\t5");
    assertThat(ExpositionLine.start(labels, NameEscaping.ALLOW_UTF_8))
        .isEqualTo("{\"a\\\"\\n\\\\b\",x=\"1\\\\2\\\"3\\n4\t5\",instance=\"\"} ");
  }

  @ParameterizedTest
  @CsvSource({
    "abc, abc, false",
    "_a9, _a9, false",
    "a:b, a:b, false",
    ":a, :a, false",
    "Zz, Zz, false",
    "9a, _a, true",
    "a.b, a_b, true",
    "é, _, true",
    "a😀b, a_b, true",
    "a b, a_b, true",
    "a{, a_, true",
    "a[, a_, true",
    "a`, a_, true",
    "a@, a_, true",
    "a/, a_, true"
  })
  void aNameIsPlainWithLettersDigitsUnderscoresAndColons(
      String name, String plain, boolean quotes) {
    assertThat(ExpositionLine.hasNameInBraces(name, NameEscaping.ALLOW_UTF_8)).isEqualTo(quotes);
    assertThat(ExpositionLine.hasNameInBraces(name, NameEscaping.UNDERSCORES)).isFalse();
    assertThat(ExpositionLine.name(name, NameEscaping.UNDERSCORES)).isEqualTo(plain);
    assertThat(ExpositionLine.name(name, NameEscaping.ALLOW_UTF_8)).isEqualTo(name);
    assertThat(ExpositionLine.type(name, NameEscaping.UNDERSCORES))
        .isEqualTo("# TYPE " + plain + " untyped\n");
    assertThat(ExpositionLine.type(name, NameEscaping.ALLOW_UTF_8))
        .isEqualTo("# TYPE " + (quotes ? "\"" + name + "\"" : name) + " untyped\n");
  }

  @Test
  void aColonIsPlainInAMetricsNameOnly() {
    Labels labels = Labels.of(Labels.NAME, "a:b", "c:d", "1", "instance", "i");
    assertThat(ExpositionLine.start(labels, NameEscaping.ALLOW_UTF_8))
        .isEqualTo("a:b{\"c:d\"=\"1\",instance=\"i\"} ");
    assertThat(ExpositionLine.start(labels, NameEscaping.UNDERSCORES))
        .isEqualTo("a:b{c_d=\"1\",instance=\"i\"} ");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whatIsWrittenReadsBack(long seed) throws BadLine {
    SplittableRandom random = new SplittableRandom(seed);
    ExpositionLines lines = new ExpositionLines(0);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      Labels labels = Labels.of(Labels.NAME, text(random), "instance", "i", text(random), "v" + i);
      double value = Double.longBitsToDouble(random.nextLong());
      long time = random.nextInt(4) == 0 ? random.nextLong() >> random.nextInt(64) : 1_700_000_000L;
      samples.add(new Sample(labels, value, OptionalLong.of(time)));
      byte[] start =
          ExpositionLine.start(labels, NameEscaping.ALLOW_UTF_8).getBytes(StandardCharsets.UTF_8);
      int cut = random.nextInt(start.length + 1);
      if (random.nextBoolean()) {
        lines.add(start, value, time);
      } else {
        lines.add(
            Arrays.copyOf(start, cut), Arrays.copyOfRange(start, cut, start.length), value, time);
      }
    }
    String text = new String(lines.array(), 0, lines.size(), StandardCharsets.UTF_8);
    assertThat(lines.count()).isEqualTo(2_000);
    assertThat(text.lines()).hasSize(2_000);
    assertThat(TextExpositionReader.read(text).samples()).isEqualTo(samples);
  }

  private static String text(SplittableRandom random) {
    int[] points = {
      'a', 'Z', '_', '9', '.', '"', '\\', '\n', '{', '}', ',', '=', ' ', 0xe9, 0x1f600
    };
    StringBuilder text = new StringBuilder("x");
    for (int i = random.nextInt(5); i > 0; i--) {
      text.appendCodePoint(points[random.nextInt(points.length)]);
    }
    return text.toString();
  }

  @Test
  void aNewPageIsEmptyAndALineHasItsNumberAndItsTime() {
    ExpositionLines lines = new ExpositionLines(-1);
    assertThat(lines.size()).isZero();
    assertThat(lines.count()).isZero();
    byte[] start = "m{} ".getBytes();
    lines.add(start, 0.5, 0);
    lines.add(start, -0.0, 0);
    lines.add(start, 1e6, -12);
    lines.add(start, Double.NaN, -12);
    lines.add(start, Double.NEGATIVE_INFINITY, 1_700_000_000_000L);
    assertThat(new String(lines.array(), 0, lines.size(), StandardCharsets.UTF_8))
        .isEqualTo(
            """
            m{} 0.5 0
            m{} 0 0
            m{} 1e+06 -12
            m{} NaN -12
            m{} -Inf 1700000000000
            """);
  }

  @Test
  void aStartLongerThanThePageFits() {
    ExpositionLines lines = new ExpositionLines(1);
    byte[] start = "x".repeat(10_000).getBytes();
    lines.add(start, 1, 2);
    lines.add(start, 1, 2);
    assertThat(lines.size()).isEqualTo(2 * (10_000 + 4));
  }
}

package io.fleetgauge.sample.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.TextExpositionReader.BadLine;
import io.fleetgauge.sample.prometheus.TextExpositionReader.Exposition;
import io.fleetgauge.sample.prometheus.TextExpositionReader.Sample;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextExpositionReaderTest {
  @Test
  void aPageOfAnExporterIsRead() throws BadLine {
    Exposition page =
        TextExpositionReader.read(
            """
            # HELP http_requests_total The total, with a \\\\ and a\\nline.
            # TYPE http_requests_total counter
            http_requests_total{method="post",code="200"} 1027 1395066363000

            # just a comment
            escaped{path="C:\\\\DIR\\\\FILE.TXT",error="Cannot find\\n\\"FILE.TXT\\""} 1.458255915e9
            no_labels 12.47
              spaced   {  a = "b" , }   +Inf   -3\s
            {"a.quoted.name", "é"="x"} NaN
            x:y{} -0\
            """);
    assertThat(page.samples())
        .containsExactly(
            new Sample(
                Labels.of(Labels.NAME, "http_requests_total", "method", "post", "code", "200"),
                1027,
                OptionalLong.of(1395066363000L)),
            new Sample(
                Labels.of(
                    Labels.NAME,
                    "escaped",
                    "path",
                    "C:\\DIR\\FILE.TXT",
                    "error",
                    "Cannot find\n\"FILE.TXT\""),
                1.458255915e9,
                OptionalLong.empty()),
            new Sample(Labels.of(Labels.NAME, "no_labels"), 12.47, OptionalLong.empty()),
            new Sample(
                Labels.of(Labels.NAME, "spaced", "a", "b"),
                Double.POSITIVE_INFINITY,
                OptionalLong.of(-3)),
            new Sample(
                Labels.of(Labels.NAME, "a.quoted.name", "é", "x"),
                Double.NaN,
                OptionalLong.empty()),
            new Sample(Labels.of(Labels.NAME, "x:y"), -0.0, OptionalLong.empty()));
    assertThat(page.families())
        .containsOnly(
            Map.entry(
                "http_requests_total",
                new TextExposition.Family("counter", "The total, with a \\ and a\nline.")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "a | line 1, character 2: expected is a value, found is \"\"",
        "a b | line 1, character 4: expected is a value, found is \"b\"",
        "a 1 x | expected is a timestamp in ms, found is \"x\"",
        "a 1 2 3 | expected is the end of the line",
        "a{b} 1 | expected is = behind the label b",
        "a{b=c} 1 | expected is a quoted value of the label b",
        "a{b=\"c 1 | a quoted text does not end",
        "a{b=\"c\" d=\"e\"} 1 | expected is , or } behind a label",
        "a{b=\"1\",b=\"2\"} 1 | occurs twice",
        "{b=\"1\"} 1 | there is no metric name",
        "1a 1 | line 1, character 1: expected is a name"
      })
  void aBadLineIsNamedWithWhatIsWrong(String text, String message) {
    assertThatThrownBy(() -> TextExpositionReader.read(text))
        .isInstanceOf(BadLine.class)
        .hasMessageContaining(message);
  }

  @Test
  void whatOurWriterWritesIsReadBack() throws BadLine {
    SplittableRandom random = new SplittableRandom(1);
    Tick.Builder tick = new Tick.Builder();
    for (int i = 0; i < 200; i++) {
      tick.add(
          Labels.of(Labels.NAME, "m" + i, "a", "\\\"\n" + i, "b", i % 2 == 0 ? "" : "é😀"),
          Double.longBitsToDouble(random.nextLong()));
    }
    Tick all = tick.at(0);
    Exposition read = TextExpositionReader.read(TextExposition.write(all, Map.of()));
    Map<Labels, Double> values = new java.util.HashMap<>();
    read.samples().forEach(sample -> values.put(sample.labels(), sample.value()));
    for (int i = 0; i < all.size(); i++) {
      double value = all.values()[i];
      assertThat(values.get(all.series().get(i))).isEqualTo(Double.valueOf(value));
    }
  }
}

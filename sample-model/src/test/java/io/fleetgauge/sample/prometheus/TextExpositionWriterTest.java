package io.fleetgauge.sample.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.TextExposition.Family;
import io.fleetgauge.sample.prometheus.TextExpositionReader.BadLine;
import io.fleetgauge.sample.prometheus.TextExpositionReader.Exposition;
import io.fleetgauge.sample.prometheus.TextExpositionReader.Sample;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole pages of the text format: families, help, escapes, values. */
class TextExpositionWriterTest {
  private static Tick one(double value, String... labels) {
    return new Tick.Builder().add(Labels.of(labels), value).at(0);
  }

  @Test
  void anEmptyTickIsAnEmptyPageAndSoIsOneOfEndedSeries() {
    assertThat(TextExposition.write(new Tick.Builder().at(0), Map.of())).isEmpty();
    assertThat(TextExposition.write(one(Staleness.MARKER, Labels.NAME, "a"), Map.of())).isEmpty();
  }

  @Test
  void helpHasItsBackslashesAndLineFeedsEscapedAndItsQuotesNot() {
    assertThat(
            TextExposition.write(
                one(1, Labels.NAME, "a"), Map.of("a", new Family("counter", "x\\y\n\"z\""))))
        .isEqualTo("# HELP a x\\\\y\\n\"z\"\n# TYPE a counter\na 1\n");
  }

  @Test
  void theFamilyOfAMetricThatIsNotThereIsNotWritten() {
    assertThat(
            TextExposition.write(
                one(1, Labels.NAME, "a"), Map.of("b", new Family("counter", "Other."))))
        .isEqualTo("# TYPE a untyped\na 1\n");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0.0, -0",
    "1.5, 1.5",
    "1e21, 1e+21",
    "NaN, NaN",
    "Infinity, +Inf",
    "-Infinity, -Inf"
  })
  void aValueIsWrittenAsPrometheusPrintsIt(double value, String text) {
    assertThat(TextExposition.write(one(value, Labels.NAME, "a", "b", "c"), Map.of()))
        .isEqualTo("# TYPE a untyped\na{b=\"c\"} " + text + "\n");
  }

  @Test
  void anOrdinaryNanIsAValue() {
    double nan = Double.longBitsToDouble(Staleness.MARKER_BITS - 1);
    assertThat(TextExposition.write(one(nan, Labels.NAME, "a"), Map.of())).endsWith("a NaN\n");
  }

  @Test
  void metricsAreOrderedByTheirNamesAndSeriesStayInTheirOrder() {
    Tick.Builder tick = new Tick.Builder();
    for (String name : List.of("b", "a", "c", "a", "b")) {
      tick.add(Labels.of(Labels.NAME, name, "i", "" + tick.at(0).size()), 1);
    }
    assertThat(
            TextExposition.write(tick.at(0), Map.of()).lines().filter(line -> line.contains("{")))
        .containsExactly(
            "a{i=\"1\"} 1", "a{i=\"3\"} 1", "b{i=\"0\"} 1", "b{i=\"4\"} 1", "c{i=\"2\"} 1");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aPageReadsBackWithItsFamiliesAndSamples(long seed) throws BadLine {
    SplittableRandom random = new SplittableRandom(seed);
    int[] points = {'a', '"', '\\', '\n', '{', '}', ',', '#', ' ', 0xe9, 0x1f600};
    for (int round = 0; round < 100; round++) {
      Tick.Builder tick = new Tick.Builder();
      Map<String, Family> families = new HashMap<>();
      Set<Sample> expected = new HashSet<>();
      for (int i = 0; i < 20; i++) {
        String name = "m_" + random.nextInt(6);
        StringBuilder text = new StringBuilder("x");
        for (int j = random.nextInt(6); j > 0; j--) {
          text.appendCodePoint(points[random.nextInt(points.length)]);
        }
        Labels labels = Labels.of(Labels.NAME, name, "i", "" + i, "text", text.toString());
        double value = Double.longBitsToDouble(random.nextLong());
        tick.add(labels, value);
        expected.add(
            new Sample(labels, Double.isNaN(value) ? Double.NaN : value, OptionalLong.empty()));
        families.put(
            name, new Family(i % 2 == 0 ? "gauge" : "counter", text.append('.').toString()));
      }
      Exposition page = TextExpositionReader.read(TextExposition.write(tick.at(0), families));
      assertThat(new HashSet<>(page.samples())).isEqualTo(expected);
      assertThat(page.families()).isEqualTo(families);
    }
  }
}

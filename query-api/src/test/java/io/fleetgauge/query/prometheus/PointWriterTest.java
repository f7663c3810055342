package io.fleetgauge.query.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.Numbers;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PointWriterTest {
  /** The same, by concatenation. */
  private static String plain(Series series) {
    StringJoiner points = new StringJoiner(",", "[", "]");
    for (int i = 0; i < series.size(); i++) {
      points.add(
          "["
              + Numbers.seconds(series.times()[i])
              + ",\""
              + Numbers.text(series.values()[i])
              + "\"]");
    }
    return points.toString();
  }

  private static String written(PointWriter writer, Series series) {
    int length = writer.write(series);
    return new String(writer.bytes(), 0, length, StandardCharsets.ISO_8859_1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 20_261_123})
  void pointsAreWrittenAsTheirNumbersAre(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    // One writer for all series, as in an answer: the times it remembers must not show.
    PointWriter writer = new PointWriter();
    for (int round = 0; round < 200; round++) {
      int size = random.nextInt(60);
      long[] times = new long[size];
      double[] values = new double[size];
      long start = random.nextLong(-2_000_000_000_000L, 2_000_000_000_000L);
      long step = random.nextLong(1, 100_000);
      for (int i = 0; i < size; i++) {
        times[i] = start + i * step;
        values[i] =
            switch (random.nextInt(6)) {
              case 0 -> random.nextInt(-1_000, 1_000);
              case 1 -> random.nextDouble();
              case 2 -> Double.longBitsToDouble(random.nextLong());
              case 3 -> Double.NaN;
              case 4 -> Double.POSITIVE_INFINITY;
              default -> -0.0;
            };
      }
      Series series = new Series(Labels.EMPTY, times, values);
      assertThat(written(writer, series)).as("round %d", round).isEqualTo(plain(series));
    }
  }

  @Test
  void aSeriesWithoutPointsIsAnEmptyArray() {
    assertThat(written(new PointWriter(), new Series(Labels.EMPTY, new long[0], new double[0])))
        .isEqualTo("[]");
  }
}

package io.fleetgauge.promql.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RanksTest {
  /** The plain twin sorts everything. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void whatIsFoundIsWhatSortingPutsThere(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 5_000; round++) {
      int from = random.nextInt(5);
      int size = random.nextInt(1, round % 50 == 0 ? 3_000 : 100);
      double[] values = numbers(random, round % 6, from + size + random.nextInt(3));
      double[] sorted = values.clone();
      int to = from + size;
      Arrays.sort(sorted, from, to);
      double[] before = values.clone();
      int place = from + random.nextInt(size);
      Ranks.find(values, from, to, place);
      assertThat(values[place]).isEqualTo(Double.valueOf(sorted[place]));
      for (int i = from; i < to; i++) {
        assertThat(Double.compare(values[i], values[place]) * Integer.compare(i, place))
            .isNotNegative();
      }
      for (int i = 0; i < values.length; i++) {
        if (i < from || i >= to) {
          assertThat(values[i]).isEqualTo(Double.valueOf(before[i]));
        }
      }
      Arrays.sort(values, from, to);
      assertThat(values).as("none is lost").containsExactly(sorted);
    }
  }

  private static double[] numbers(SplittableRandom random, int kind, int size) {
    double[] values = new double[size];
    for (int i = 0; i < size; i++) {
      values[i] =
          switch (kind) {
            case 0 -> random.nextDouble();
            case 1 -> random.nextInt(3); // many are equal
            case 2 -> i;
            case 3 -> -i;
            case 4 -> Math.min(i, size - i); // the middle is no good pivot
            default -> random.nextInt(3) == 0 ? -0.0 : random.nextInt(-1, 2) * 1.0;
          };
    }
    return values;
  }
}

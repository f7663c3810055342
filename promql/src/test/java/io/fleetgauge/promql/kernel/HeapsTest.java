package io.fleetgauge.promql.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeapsTest {
  /** The plain twin sorts everything; values differ, so that there is one answer. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aHeapKeepsTheBestAndSortsThem(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 2_000; round++) {
      boolean top = random.nextBoolean();
      int capacity = 1 + random.nextInt(6);
      List<Double> all = new ArrayList<>();
      double[] values = new double[capacity];
      int[] ids = new int[capacity];
      int size = 0;
      int count = 1 + random.nextInt(20);
      for (int i = 0; i < count; i++) {
        double value = i == 7 ? Double.NaN : i == 3 ? -1 / 0.0 : random.nextDouble();
        all.add(value);
        if (size < capacity) {
          Heaps.push(values, ids, size++, value, i, top);
        } else {
          Heaps.offer(values, ids, size, value, i, top);
        }
      }
      Heaps.sort(values, ids, size, top);

      Comparator<Double> best =
          Comparator.comparing((Double value) -> value.isNaN())
              .thenComparing(top ? Comparator.reverseOrder() : Comparator.naturalOrder());
      List<Double> wanted = all.stream().sorted(best).limit(capacity).toList();
      assertThat(Arrays.stream(values, 0, size).boxed().toList()).isEqualTo(wanted);
      for (int i = 0; i < size; i++) {
        assertThat(all.get(ids[i])).isEqualTo(values[i]);
      }
    }
  }
}

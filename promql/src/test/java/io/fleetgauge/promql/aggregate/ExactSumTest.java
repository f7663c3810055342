package io.fleetgauge.promql.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExactSumTest {
  private static final int STEPS = 32;

  /** How far apart the numbers of a sum are, in powers of ten. */
  @ParameterizedTest
  @ValueSource(ints = {1, 6, 20, 60, 300})
  void aSumIsTheRoundedExactOneInWhateverOrderAndHoweverSplit(int spread) {
    SplittableRandom random = new SplittableRandom(spread);
    List<double[]> columns = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      double[] column = new double[STEPS];
      for (int j = 0; j < STEPS; j++) {
        column[j] =
            random.nextInt(6) == 0
                ? Staleness.MARKER
                : (random.nextDouble() - 0.5) * Math.pow(10, random.nextInt(spread) - spread / 2.0);
      }
      columns.add(column);
    }
    ExactSum whole = sumOf(columns);
    Collections.shuffle(columns, new Random(spread));
    int[] count = new int[STEPS];
    ExactSum merged = new ExactSum(count);
    boolean fits = true;
    for (int from = 0; from < 60; from += 13) {
      int[] partCount = new int[STEPS];
      ExactSum part = new ExactSum(partCount);
      columns.subList(from, Math.min(60, from + 13)).forEach(part::add);
      fits &= part.parts() != null;
      if (fits) {
        merged.add(new Partial(Labels.EMPTY, Labels.EMPTY, false, partCount, part.parts()));
      }
    }
    assertThat(fits).isEqualTo(spread < 60);
    for (int i = 0; i < STEPS; i++) {
      BigDecimal exact = BigDecimal.ZERO;
      int n = 0;
      for (double[] column : columns) {
        if (!Staleness.isMarker(column[i])) {
          exact = exact.add(new BigDecimal(column[i]));
          n++;
        }
      }
      assertThat(whole.total(i)).isEqualTo(exact.doubleValue());
      if (fits) {
        assertThat(merged.total(i)).isEqualTo(whole.total(i));
        assertThat(merged.mean(i)).isEqualTo(whole.mean(i));
        assertThat(count[i]).isEqualTo(n);
      }
    }
  }

  @Test
  void aMiddleBetweenTwoDoublesIsDecidedByTheSmallestPart() {
    double half = Math.ulp(1.0) / 2;
    double little = Double.MIN_VALUE;
    assertThat(total(1, half, little)).isEqualTo(1 + 2 * half);
    assertThat(total(1, half)).isEqualTo(1);
    assertThat(total(1, half, -little)).isEqualTo(1);
    assertThat(total(1 + 2 * half, half, -little)).isEqualTo(1 + 2 * half);
  }

  @Test
  void aSumThatOverflowsOnItsWayStaysInfiniteAndIsNotHandedOverAndItsMeanIsExact() {
    assertThat(total(1.5e308, 1.5e308, -1.5e308)).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(total(1.5e308, -1.5e308, 1.5e308)).isEqualTo(1.5e308);
    assertThat(sumOf(columns(1e302)).parts()).isNull();
    assertThat(total(1.5e308, 1.5e308)).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(sumOf(columns(1.5e308, 1.5e308, -1.5e308, 1.5e308)).mean(0)).isEqualTo(0.75e308);
  }

  @Test
  void whatIsNotFiniteStaysSo() {
    assertThat(total(1, Double.POSITIVE_INFINITY, 5)).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(total(Double.POSITIVE_INFINITY, 1, Double.NEGATIVE_INFINITY)).isNaN();
    assertThat(total(Double.NaN, 1)).isNaN();
    assertThat(total(-0.0, -0.0)).isEqualTo(0.0);
    assertThat(total(1e300, 1e-300, 1e100, Double.NEGATIVE_INFINITY))
        .isEqualTo(Double.NEGATIVE_INFINITY);
  }

  private static double total(double... values) {
    return sumOf(columns(values)).total(0);
  }

  private static List<double[]> columns(double... values) {
    List<double[]> columns = new ArrayList<>();
    for (double value : values) {
      columns.add(new double[] {value});
    }
    return columns;
  }

  private static ExactSum sumOf(List<double[]> columns) {
    ExactSum sum = new ExactSum(new int[columns.getFirst().length]);
    columns.forEach(sum::add);
    return sum;
  }
}

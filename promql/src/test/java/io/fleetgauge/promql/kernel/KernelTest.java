package io.fleetgauge.promql.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Staleness;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each loop against a plain twin that is written for reading, on random input. More than 600 lines,
 * because every loop has its twin beside its test.
 */
class KernelTest {
  private static final MathContext EXACT = MathContext.DECIMAL128;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void latestIsTheNewestSampleWithinTheLookback(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 500; round++) {
      long[] times = times(random, random.nextInt(50));
      double[] values = new double[times.length];
      for (int i = 0; i < values.length; i++) {
        values[i] = random.nextInt(5) == 0 ? Staleness.MARKER : random.nextInt(9);
      }
      long start = random.nextLong(100_000);
      long step = random.nextLong(20_000);
      long lookback = 1 + random.nextLong(30_000);
      double[] out = new double[20];
      int[] indexes = new int[20];
      Columns.latestIndex(times, start, step, lookback, indexes);
      for (int i = 0; i < out.length; i++) {
        long t = start + i * step;
        int plain = -1;
        for (int j = 0; j < times.length; j++) {
          plain = times[j] > t - lookback && times[j] <= t ? j : plain;
        }
        assertThat(indexes[i]).isEqualTo(plain);
      }
      int found = Columns.latest(times, values, start, step, lookback, out);
      int foundPlain = 0;
      for (int i = 0; i < out.length; i++) {
        long t = start + i * step;
        double plain = Staleness.MARKER;
        for (int j = 0; j < times.length; j++) {
          if (times[j] > t - lookback && times[j] <= t) {
            plain = values[j];
          }
        }
        foundPlain += Staleness.isMarker(plain) ? 0 : 1;
        assertSame(out[i], plain);
      }
      assertThat(found).isEqualTo(foundPlain);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void countingNegatingAndFilteringGoStepByStep(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 500; round++) {
      double[] a = sparse(random);
      double[] b = sparse(random);
      double[] negated = new double[a.length];
      double[] filtered = new double[a.length];
      Arithmetic.negate(a, negated);
      Arithmetic.filter(a, b, filtered);
      int there = 0;
      for (int i = 0; i < a.length; i++) {
        boolean inA = !Staleness.isMarker(a[i]);
        there += inA ? 1 : 0;
        assertSame(negated[i], inA ? -a[i] : Staleness.MARKER);
        assertSame(filtered[i], b[i] == 1 ? a[i] : Staleness.MARKER);
      }
      assertThat(Columns.count(a)).isEqualTo(there);
    }
  }

  private static double[] sparse(SplittableRandom random) {
    double[] column = new double[4];
    for (int i = 0; i < column.length; i++) {
      column[i] = random.nextInt(3) == 0 ? random.nextInt(3) : Staleness.MARKER;
    }
    return column;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void foldsOfColumnsEqualFoldsOfLists(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int steps = 64;
    List<double[]> columns = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      double[] column = new double[steps];
      for (int j = 0; j < steps; j++) {
        column[j] =
            switch (random.nextInt(8)) {
              case 0 -> Staleness.MARKER;
              case 1 -> random.nextInt(20) == 0 ? Double.NaN : 3;
              default -> (random.nextDouble() - 0.5) * Math.pow(10, random.nextInt(12));
            };
      }
      columns.add(column);
    }
    double[] sum = new double[steps];
    double[] carry = new double[steps];
    int[] sumCount = new int[steps];
    double[] rest = new double[steps];
    double[] min = new double[steps];
    int[] minCount = new int[steps];
    double[] max = new double[steps];
    int[] maxCount = new int[steps];
    int[] count = new int[steps];
    for (double[] column : columns) {
      for (int at = 0; (at = Sums.add(column, at, sum, carry, rest, sumCount)) < steps; at++) {
        assertThat(column[at] + sum[at]).isNaN();
        sum[at] = Double.NaN;
        sumCount[at]++;
      }
      Reductions.min(column, min, minCount);
      Reductions.max(column, max, maxCount);
      Reductions.count(column, count);
    }
    for (int i = 0; i < steps; i++) {
      int step = i;
      double[] present =
          columns.stream()
              .mapToDouble(column -> column[step])
              .filter(x -> !Staleness.isMarker(x))
              .toArray();
      assertThat(count[i]).isEqualTo(present.length);
      assertThat(sumCount[i]).isEqualTo(present.length);
      boolean nan = Arrays.stream(present).anyMatch(Double::isNaN);
      double[] numbers = Arrays.stream(present).filter(x -> !Double.isNaN(x)).toArray();
      assertThat(min[i]).isEqualTo(Arrays.stream(numbers).min().orElse(Double.NaN));
      assertThat(max[i]).isEqualTo(Arrays.stream(numbers).max().orElse(Double.NaN));
      if (nan) {
        assertThat(sum[i]).isNaN();
      } else {
        assertThat(Sums.rounded(sum[i], carry[i], rest[i])).isEqualTo(exactSum(present));
      }
    }
  }

  /** A fold of what was kept is the fold of the values that it was kept of, every so many steps. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void foldsOfKeptFoldsEqualFoldsOfValues(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int kept = 60;
    int stride = 1 + random.nextInt(4);
    int from = random.nextInt(5);
    int cells = (kept - 1 - from) / stride + 1;
    int at = random.nextInt(3);
    int steps = cells + at;
    double[][] sums = new double[3][steps];
    int[] sumCount = new int[steps];
    int[] count = new int[steps];
    double[][] wanted = new double[steps][0];
    for (int part = 0; part < 5; part++) {
      double[][] sum = new double[3][kept];
      int[] n = new int[kept];
      for (int series = 0; series < 3; series++) {
        double[] column = new double[kept];
        for (int i = 0; i < kept; i++) {
          column[i] =
              switch (random.nextInt(6)) {
                case 0 -> Staleness.MARKER;
                case 1 -> random.nextBoolean() ? 0.0 : -0.0;
                default -> (random.nextDouble() - 0.5) * Math.pow(10, random.nextInt(12));
              };
          if (!Staleness.isMarker(column[i]) && i >= from && (i - from) % stride == 0) {
            int step = at + (i - from) / stride;
            wanted[step] = Arrays.copyOf(wanted[step], wanted[step].length + 1);
            wanted[step][wanted[step].length - 1] = column[i];
          }
        }
        assertThat(Sums.add(column, 0, sum[0], sum[1], sum[2], n)).isEqualTo(kept);
      }
      assertThat(Sums.addKept(n, sum, from, stride, cells, sums, sumCount, at)).isEqualTo(cells);
      Reductions.countKept(n, from, stride, cells, count, at);
    }
    for (int i = 0; i < steps; i++) {
      assertThat(count[i]).isEqualTo(wanted[i].length);
      assertThat(sumCount[i]).isEqualTo(wanted[i].length);
      double total = Sums.rounded(sums[0][i], sums[1][i], sums[2][i]);
      assertThat(total).isEqualTo(wanted[i].length == 0 ? 0 : exactSum(wanted[i]) + 0.0);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void extremesOfKeptExtremesAreThoseOfAll(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int kept = 40;
    int stride = 1 + random.nextInt(3);
    int cells = (kept - 1) / stride + 1;
    double[] min = new double[cells];
    int[] minCount = new int[cells];
    double[] max = new double[cells];
    int[] maxCount = new int[cells];
    double[] allMin = new double[kept];
    int[] allMinCount = new int[kept];
    double[] allMax = new double[kept];
    int[] allMaxCount = new int[kept];
    for (int part = 0; part < 6; part++) {
      double[] column = new double[kept];
      int[] n = new int[kept];
      for (int i = 0; i < kept; i++) {
        column[i] =
            switch (random.nextInt(6)) {
              case 0 -> Staleness.MARKER;
              case 1 -> Double.NaN;
              case 2 -> random.nextBoolean() ? 0.0 : -0.0;
              default -> random.nextInt(-3, 4);
            };
        n[i] = Staleness.isMarker(column[i]) ? 0 : 1;
      }
      Reductions.min(column, allMin, allMinCount);
      Reductions.max(column, allMax, allMaxCount);
      Reductions.minKept(n, column, 0, stride, cells, min, minCount, 0);
      Reductions.maxKept(n, column, 0, stride, cells, max, maxCount, 0);
    }
    for (int i = 0; i < cells; i++) {
      assertThat(minCount[i]).isEqualTo(allMinCount[i * stride]);
      assertThat(maxCount[i]).isEqualTo(allMaxCount[i * stride]);
      assertThat(min[i]).isEqualTo(allMin[i * stride]);
      assertThat(max[i]).isEqualTo(allMax[i * stride]);
    }
  }

  @Test
  void infinitiesInASumAreInfiniteOrNaN() {
    assertThat(Windows.sum(new double[] {1, 1 / 0.0, 5}, 0, 3)).isEqualTo(1 / 0.0);
    assertThat(Windows.sum(new double[] {1 / 0.0, -1 / 0.0}, 0, 2)).isNaN();
    assertThat(Windows.sum(new double[] {1e308, 1e308, -1e308}, 0, 3)).isEqualTo(1 / 0.0);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void functionsOfAWindowEqualTheirDefinitions(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 2_000; round++) {
      double[] values = new double[1 + random.nextInt(40)];
      for (int i = 0; i < values.length; i++) {
        values[i] = (random.nextDouble() - 0.5) * Math.pow(10, random.nextInt(9));
      }
      int from = random.nextInt(values.length);
      int to = from + 1 + random.nextInt(values.length - from);
      double[] window = Arrays.copyOfRange(values, from, to);
      int n = window.length;
      assertThat(Windows.sum(values, from, to)).isEqualTo(exactSum(window));
      assertClose(Windows.avg(values, from, to), exactSum(window) / n);
      assertThat(Windows.min(values, from, to))
          .isEqualTo(Arrays.stream(window).min().getAsDouble());
      assertThat(Windows.max(values, from, to))
          .isEqualTo(Arrays.stream(window).max().getAsDouble());
      BigDecimal mean = exact(window).divide(BigDecimal.valueOf(n), EXACT);
      BigDecimal squares = BigDecimal.ZERO;
      for (double x : window) {
        BigDecimal delta = new BigDecimal(x).subtract(mean, EXACT);
        squares = squares.add(delta.multiply(delta, EXACT), EXACT);
      }
      double variance = squares.divide(BigDecimal.valueOf(n), EXACT).doubleValue();
      assertThat(Windows.variance(values, from, to))
          .isCloseTo(variance, Offset.offset(1e-12 * (variance + 1e-9)));
      double q = random.nextDouble();
      double[] sorted = window.clone();
      Arrays.sort(sorted);
      double rank = q * (n - 1);
      int low = (int) Math.floor(rank);
      int high = Math.min(n - 1, low + 1);
      double quantile =
          sorted[low] * (1 - (rank - Math.floor(rank))) + sorted[high] * (rank - Math.floor(rank));
      assertThat(Windows.quantile(q, values, from, to, new double[n])).isEqualTo(quantile);
    }
  }

  @Test
  void quantilesOutsideZeroToOneAreInfiniteAndNaNIsTheLowestValue() {
    double[] values = {3, Double.NaN, 1, 2};
    double[] scratch = new double[4];
    assertThat(Windows.quantile(-0.1, values, 0, 4, scratch)).isEqualTo(-1 / 0.0);
    assertThat(Windows.quantile(1.1, values, 0, 4, scratch)).isEqualTo(1 / 0.0);
    assertThat(Windows.quantile(Double.NaN, values, 0, 4, scratch)).isNaN();
    assertThat(Windows.quantile(0, values, 0, 4, scratch)).isNaN();
    assertThat(Windows.quantile(1, values, 0, 4, scratch)).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void increaseIsTheRiseExtrapolatedToTheEdges(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 2_000; round++) {
      long[] times = times(random, 2 + random.nextInt(30));
      double[] values = new double[times.length];
      double counter = random.nextInt(100);
      for (int i = 0; i < values.length; i++) {
        counter = random.nextInt(10) == 0 ? random.nextInt(5) : counter + random.nextInt(50);
        values[i] = counter;
      }
      long end = times[times.length - 1] + random.nextLong(10_000);
      long range = end - times[0] + 1 + random.nextLong(10_000);
      double plain = plainIncrease(times, values, end - range, end);
      int size = times.length;
      int[] falls = new int[size];
      Windows.falls(values, size, falls);
      assertThat((double) falls[size - 1]).isEqualTo(Windows.resets(values, 0, size));
      assertClose(Windows.increase(times, values, falls, 0, size, end - range, end), plain);
      assertClose(
          Windows.rate(times, values, falls, 0, size, end - range, end), plain / (range / 1000.0));
    }
  }

  /** As Prometheus has it: a gap of 1.1 mean intervals is too long, the next shorter one is not. */
  @ParameterizedTest
  @ValueSource(longs = {5_000, 10_000, 15_000, 20_000, 30_000})
  void aGapOfExactlyElevenTenthsOfTheMeanIntervalCountsAsHalfAnInterval(long interval) {
    long[] times = {0, interval, 2 * interval, 3 * interval};
    double[] gauge = {1_000, 1_010, 1_020, 1_030};
    int[] falls = new int[4];
    Windows.falls(gauge, 4, falls);
    long gap = interval * 11 / 10;
    assertThat(gap / 1000.0).isEqualTo(interval / 1000.0 * 1.1);
    long last = times[3];
    // At the start, at the end, at both; the other edge is at a sample.
    assertChange(times, gauge, falls, -gap, last, 3.5);
    assertChange(times, gauge, falls, 0, last + gap, 3.5);
    assertChange(times, gauge, falls, -gap, last + gap, 4);
    // One millisecond less, and the samples are taken to go on up to the edge.
    assertChange(times, gauge, falls, 1 - gap, last, 3 + (gap - 1.0) / interval);
    assertChange(times, gauge, falls, 0, last + gap - 1, 3 + (gap - 1.0) / interval);
  }

  /** That the change of a window is that of so many intervals of 10 each. */
  private static void assertChange(
      long[] times, double[] values, int[] falls, long start, long end, double intervals) {
    assertClose(Windows.delta(times, values, 0, 4, start, end), 10 * intervals);
    assertClose(Windows.increase(times, values, falls, 0, 4, start, end), 10 * intervals);
    assertClose(
        Windows.rate(times, values, falls, 0, 4, start, end),
        10 * intervals / ((end - start) / 1000.0));
  }

  private static double plainIncrease(long[] times, double[] values, long start, long end) {
    int last = values.length - 1;
    double rise = 0;
    for (int i = 1; i <= last; i++) {
      rise += values[i] >= values[i - 1] ? values[i] - values[i - 1] : values[i];
    }
    double sampled = (times[last] - times[0]) / 1000.0;
    double mean = sampled / last;
    double before = (times[0] - start) / 1000.0;
    before = before < mean * 1.1 ? before : mean / 2;
    double after = (end - times[last]) / 1000.0;
    after = after < mean * 1.1 ? after : mean / 2;
    if (rise > 0) {
      before = Math.min(before, sampled * values[0] / rise);
    }
    return rise * (sampled + before + after) / sampled;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void countsAndLinesOfAWindowEqualTheirDefinitions(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 2_000; round++) {
      long[] times = times(random, 2 + random.nextInt(30));
      double[] values = new double[times.length];
      for (int i = 0; i < values.length; i++) {
        values[i] = random.nextInt(8) == 0 ? Double.NaN : random.nextInt(4);
      }
      int changes = 0;
      int resets = 0;
      for (int i = 1; i < values.length; i++) {
        changes += Double.valueOf(values[i]).equals(values[i - 1]) ? 0 : 1;
        resets += values[i] < values[i - 1] ? 1 : 0;
      }
      assertThat(Windows.changes(values, 0, values.length)).isEqualTo(changes);
      assertThat(Windows.resets(values, 0, values.length)).isEqualTo(resets);

      double slope = (random.nextDouble() - 0.5) * 100;
      for (int i = 0; i < values.length; i++) {
        values[i] = 1_000 + slope * times[i] / 1000;
      }
      int last = values.length - 1;
      assertThat(Windows.slope(times, values, 0, values.length))
          .isCloseTo(slope, Offset.offset(1e-6));
      assertThat(Windows.forecast(times, values, 0, values.length, times[last], 60))
          .isCloseTo(values[last] + 60 * slope, Offset.offset(1e-3));
      assertClose(
          Windows.lastRate(times, new double[] {5, 3}, 2), 3 / ((times[1] - times[0]) / 1000.0));
      assertThat(Windows.delta(times, values, 0, values.length, times[0], times[last]))
          .isEqualTo(values[last] - values[0]);
    }
    assertThat(Windows.slope(new long[] {1, 2}, new double[] {7, 7}, 0, 2)).isZero();
    assertThat(Windows.slope(new long[] {1, 2}, new double[] {1 / 0.0, 1 / 0.0}, 0, 2)).isNaN();
    assertThat(Windows.forecast(new long[] {1, 2}, new double[] {7, 7}, 0, 2, 9, 5)).isEqualTo(7);
    for (double second : new double[] {7, 8}) {
      assertThat(Windows.forecast(new long[] {1, 2}, new double[] {7, second}, 0, 2, 9, Double.NaN))
          .isNaN();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void arithmeticSkipsAbsentSteps(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[] pool = {
      0, -0.0, 1, -1, 2.5, -7, 1e300, Double.NaN, 1 / 0.0, -1 / 0.0, Staleness.MARKER
    };
    double[] left = new double[500];
    double[] right = new double[500];
    for (int i = 0; i < left.length; i++) {
      left[i] = pool[random.nextInt(pool.length)];
      right[i] = pool[random.nextInt(pool.length)];
    }
    check(left, right, Arithmetic::add, (a, b) -> a + b);
    check(left, right, Arithmetic::subtract, (a, b) -> a - b);
    check(left, right, Arithmetic::multiply, (a, b) -> a * b);
    check(left, right, Arithmetic::divide, (a, b) -> a / b);
    check(left, right, Arithmetic::modulo, (a, b) -> a % b);
    check(left, right, Arithmetic::atan2, Math::atan2);
    check(left, right, Arithmetic::equal, (a, b) -> a == b ? 1 : 0);
    check(left, right, Arithmetic::notEqual, (a, b) -> a != b ? 1 : 0);
    check(left, right, Arithmetic::less, (a, b) -> a < b ? 1 : 0);
    check(left, right, Arithmetic::lessOrEqual, (a, b) -> a <= b ? 1 : 0);
    check(
        left,
        right,
        Arithmetic::power,
        (a, b) -> a == 1 || Math.abs(a) == 1 && Double.isInfinite(b) ? 1 : Math.pow(a, b));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void powersAreThoseOfTheLibraryToTheLastFewBits(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[] pool = {
      0, -0.0, 1, -1, 2, -2, 0.5, 1e300, 1e-310, Double.MIN_VALUE, Double.NaN, 1 / 0.0, -1 / 0.0
    };
    for (int round = 0; round < 100_000; round++) {
      double base = random.nextInt(4) == 0 ? pool[random.nextInt(pool.length)] : any(random);
      double exponent = random.nextInt(4) == 0 ? pool[random.nextInt(pool.length)] : any(random);
      if (random.nextBoolean()) {
        exponent = Math.rint(exponent);
      }
      double power = Arithmetic.power(base, exponent);
      boolean one = base == 1 || base == -1 && Double.isInfinite(exponent);
      double library = one ? 1 : Math.pow(base, exponent);
      // The error grows with the number of squarings, and with the exponent of what is squared.
      assertThat((Double) power)
          .as("%s ^ %s", base, exponent)
          .satisfiesAnyOf(
              value -> assertThat(value).isEqualTo((Double) library),
              value ->
                  assertThat(value)
                      .isCloseTo(library, Offset.offset(Math.abs(library) * 1e-12 + 1e-320)));
    }
  }

  private static double any(SplittableRandom random) {
    return (random.nextDouble() - 0.5) * Math.pow(10, random.nextInt(-3, 4));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void functionsOfOneNumberEqualTheirDefinitions(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[] in = new double[2_000];
    for (int i = 0; i < in.length; i++) {
      in[i] = random.nextInt(10) == 0 ? Staleness.MARKER : any(random);
    }
    check(in, Maths::abs, Math::abs);
    check(in, Maths::ceil, Math::ceil);
    check(in, Maths::floor, Math::floor);
    check(in, Maths::exp, Math::exp);
    check(in, Maths::sqrt, Math::sqrt);
    check(in, Maths::ln, Math::log);
    check(in, Maths::log10, Math::log10);
    check(in, Maths::log2, x -> Math.log(x) / Math.log(2));
    check(in, Maths::sgn, x -> x > 0 ? 1 : x < 0 ? -1 : x);
    check(in, Maths::sin, Math::sin);
    check(in, Maths::cos, Math::cos);
    check(in, Maths::tan, Math::tan);
    check(in, Maths::asin, Math::asin);
    check(in, Maths::acos, Math::acos);
    check(in, Maths::atan, Math::atan);
    check(in, Maths::sinh, Math::sinh);
    check(in, Maths::cosh, Math::cosh);
    check(in, Maths::tanh, Math::tanh);
    check(in, Maths::deg, Math::toDegrees);
    check(in, Maths::rad, Math::toRadians);
    // The inverse functions, by the functions that they undo.
    for (double x : in) {
      if (!Staleness.isMarker(x) && Math.abs(x) < 20) {
        assertThat(Math.sinh(Maths.asinh(x)))
            .isCloseTo(x, Offset.offset(1e-12 * (1 + Math.abs(x))));
        double above = 1 + Math.abs(x);
        assertThat(Math.cosh(Maths.acosh(above))).isCloseTo(above, Offset.offset(1e-12 * above));
        double within = x / 20;
        assertThat(Math.tanh(Maths.atanh(within))).isCloseTo(within, Offset.offset(1e-12));
      }
    }
    for (int power = -1074; power < 1024; power++) {
      assertThat(Maths.log2(Math.scalb(1.0, power))).isEqualTo(power);
    }
    assertThat(Maths.acosh(0.5)).isNaN();
    assertThat(Maths.atanh(1)).isEqualTo(1 / 0.0);
    assertThat(Maths.atanh(-2)).isNaN();
    assertThat(Maths.asinh(-1 / 0.0)).isEqualTo(-1 / 0.0);
    assertThat((Double) Maths.asinh(-0.0)).isEqualTo(-0.0);
  }

  @Test
  void roundingAndClampingAreThoseOfPrometheus() {
    double[] in = {2.5, -2.5, 1.25, 7, Double.NaN, Staleness.MARKER};
    double[] out = new double[in.length];
    Maths.round(in, filled(1), out);
    assertThat(Arrays.copyOf(out, 4)).containsExactly(3, -2, 1, 7);
    Maths.round(in, filled(5), out);
    assertThat(Arrays.copyOf(out, 4)).containsExactly(5, 0, 0, 5);
    Maths.clamp(in, filled(0), filled(2), out);
    assertThat(Arrays.copyOf(out, 4)).containsExactly(2, 0, 1.25, 2);
    assertThat(out[4]).isNaN();
    assertThat(Staleness.isMarker(out[4])).isFalse();
    assertThat(Staleness.isMarker(out[5])).isTrue();
    Maths.clamp(in, filled(3), filled(2), out);
    assertThat(Columns.count(out)).isZero();
    Maths.clampMax(in, filled(-1 / 0.0), out);
    assertThat(out[4]).isEqualTo(-1 / 0.0);
    Maths.clampMin(in, filled(Double.NaN), out);
    assertThat(out[0]).isNaN();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void deviationsSmoothingAndExtremesEqualTheirDefinitions(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 1_000; round++) {
      int from = random.nextInt(3);
      int to = from + 2 + random.nextInt(9);
      double[] values = new double[to + 1];
      for (int i = 0; i < values.length; i++) {
        values[i] = random.nextInt(12) == 0 ? Double.NaN : random.nextInt(6);
      }
      double[] window = Arrays.copyOfRange(values, from, to);
      double[] scratch = new double[2 * window.length];
      double median = plainMedian(window);
      assertSame(
          Windows.medianDeviation(values, from, to, scratch),
          plainMedian(Arrays.stream(window).map(value -> Math.abs(value - median)).toArray()));
      int max = from;
      int min = from;
      for (int i = from; i < to; i++) {
        max = values[i] >= values[max] || Double.isNaN(values[max]) ? i : max;
        min = values[i] <= values[min] || Double.isNaN(values[min]) ? i : min;
      }
      assertThat(Windows.indexOfMax(values, from, to)).isEqualTo(max);
      assertThat(Windows.indexOfMin(values, from, to)).isEqualTo(min);
      double sf = random.nextDouble();
      double tf = random.nextDouble();
      double[] levels = new double[window.length];
      levels[0] = window[0];
      double trend = window[1] - window[0];
      for (int i = 1; i < window.length; i++) {
        trend = i == 1 ? trend : tf * (levels[i - 1] - levels[i - 2]) + (1 - tf) * trend;
        levels[i] = sf * window[i] + (1 - sf) * (levels[i - 1] + trend);
      }
      assertClose(Windows.smoothed(values, from, to, sf, tf), levels[window.length - 1]);
    }
  }

  /** NaN counts as the lowest value. */
  private static double plainMedian(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    long nans = Arrays.stream(values).filter(Double::isNaN).count();
    double[] nanFirst = new double[sorted.length];
    for (int i = 0; i < sorted.length; i++) {
      nanFirst[i] = i < nans ? Double.NaN : sorted[(int) (i - nans)];
    }
    double middle = nanFirst[(sorted.length - 1) / 2];
    return sorted.length % 2 == 1
        ? middle * 1 + nanFirst[Math.min(sorted.length - 1, sorted.length / 2 + 1)] * 0
        : middle * 0.5 + nanFirst[sorted.length / 2] * 0.5;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theVarianceOfColumnsIsThatOfTheirValues(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int steps = 5;
    double[] mean = new double[steps];
    double[] squares = new double[steps];
    int[] count = new int[steps];
    List<List<Double>> lists = new ArrayList<>();
    for (int i = 0; i < steps; i++) {
      lists.add(new ArrayList<>());
    }
    for (int series = 0; series < 40; series++) {
      double[] column = new double[steps];
      for (int i = 0; i < steps; i++) {
        column[i] = random.nextInt(3) == 0 ? Staleness.MARKER : random.nextDouble(100);
        if (!Staleness.isMarker(column[i])) {
          lists.get(i).add(column[i]);
        }
      }
      Reductions.variance(column, mean, squares, count);
    }
    for (int i = 0; i < steps; i++) {
      double average = lists.get(i).stream().mapToDouble(x -> x).average().orElseThrow();
      double sum = lists.get(i).stream().mapToDouble(x -> (x - average) * (x - average)).sum();
      assertThat(count[i]).isEqualTo(lists.get(i).size());
      assertThat(squares[i]).isCloseTo(sum, Offset.offset(1e-9 * sum));
    }
    double[] none = new double[1];
    Reductions.variance(new double[] {Double.POSITIVE_INFINITY}, new double[1], none, new int[1]);
    assertThat(none[0]).isNaN();
  }

  private static double[] filled(double value) {
    double[] column = new double[6];
    Arrays.fill(column, value);
    return column;
  }

  private interface ColumnFunction {
    void run(double[] in, double[] out);
  }

  private static void check(
      double[] in, ColumnFunction loop, java.util.function.DoubleUnaryOperator plain) {
    double[] out = new double[in.length];
    loop.run(in, out);
    for (int i = 0; i < in.length; i++) {
      assertThat(Staleness.isMarker(out[i])).isEqualTo(Staleness.isMarker(in[i]));
      double wanted = plain.applyAsDouble(in[i]);
      if (!Staleness.isMarker(in[i]) && !(Double.isNaN(wanted) && Double.isNaN(out[i]))) {
        assertThat(out[i])
            .satisfiesAnyOf(
                x -> assertThat(x).isEqualTo((Double) wanted), x -> assertClose(x, wanted));
      }
    }
  }

  private interface Loop {
    void run(double[] left, double[] right, double[] out);
  }

  private interface Plain {
    double apply(double left, double right);
  }

  private static void check(double[] left, double[] right, Loop loop, Plain plain) {
    double[] out = new double[left.length];
    loop.run(left, right, out);
    for (int i = 0; i < out.length; i++) {
      boolean absent = Staleness.isMarker(left[i]) || Staleness.isMarker(right[i]);
      assertThat(Staleness.isMarker(out[i])).isEqualTo(absent);
      if (!absent) {
        assertThat((Double) out[i]).isEqualTo((Double) plain.apply(left[i], right[i]));
      }
    }
  }

  private static long[] times(SplittableRandom random, int count) {
    long[] times = new long[count];
    long time = random.nextLong(50_000);
    for (int i = 0; i < count; i++) {
      time += 1 + random.nextLong(10_000);
      times[i] = time;
    }
    return times;
  }

  private static BigDecimal exact(double[] values) {
    BigDecimal sum = BigDecimal.ZERO;
    for (double x : values) {
      sum = sum.add(new BigDecimal(x));
    }
    return sum;
  }

  private static double exactSum(double[] values) {
    return exact(values).doubleValue();
  }

  private static void assertClose(double actual, double expected) {
    if (Double.isNaN(expected)) {
      assertThat(actual).isNaN();
    } else {
      assertThat(actual).isCloseTo(expected, Offset.offset(1e-12 * Math.abs(expected) + 1e-300));
    }
  }

  private static void assertSame(double actual, double expected) {
    assertThat(Double.doubleToRawLongBits(actual)).isEqualTo(Double.doubleToRawLongBits(expected));
  }
}

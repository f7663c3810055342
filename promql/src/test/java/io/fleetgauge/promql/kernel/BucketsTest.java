package io.fleetgauge.promql.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BucketsTest {
  private static final double INF = Double.POSITIVE_INFINITY;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void theKernelEqualsItsPlainTwin(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 5_000; round++) {
      int size = 1 + random.nextInt(6);
      double[] bounds = new double[size];
      double[] counts = new double[size];
      for (int i = 0; i < size; i++) {
        bounds[i] = i == size - 1 && random.nextInt(5) > 0 ? INF : random.nextInt(-3, 8);
        counts[i] = random.nextInt(8) + (random.nextInt(4) == 0 ? 1e-13 : 0);
      }
      Arrays.sort(bounds);
      double q = random.nextInt(11) / 10.0;
      double lower = random.nextInt(-4, 9);
      double upper = random.nextInt(-4, 9);

      TreeMap<Double, Double> plain = new TreeMap<>();
      for (int i = 0; i < size; i++) {
        plain.merge(bounds[i], counts[i], Double::sum);
      }
      int left = Buckets.coalesced(bounds, counts, size);
      assertThat(left).isEqualTo(plain.size());
      assertSame(
          Buckets.fraction(lower, upper, bounds, counts, left), fraction(lower, upper, plain));
      boolean forced = Buckets.forceMonotonic(counts, left);
      assertThat(forced).isEqualTo(forceMonotonic(plain));
      assertThat(Arrays.copyOf(counts, left))
          .containsExactly(plain.values().stream().mapToDouble(Double::doubleValue).toArray());
      assertSame(Buckets.quantile(q, bounds, counts, left), quantile(q, plain));
    }
  }

  private static void assertSame(Double got, Double wanted) {
    assertThat(got).isEqualTo(wanted);
  }

  private static boolean forceMonotonic(TreeMap<Double, Double> buckets) {
    boolean forced = false;
    double highest = buckets.firstEntry().getValue();
    for (Map.Entry<Double, Double> bucket : buckets.entrySet()) {
      double count = bucket.getValue();
      double sum = highest + count;
      boolean same = count == highest || sum > 0 && Math.abs(count - highest) / sum < 1e-12;
      // Against nothing at all, nothing is small.
      same &= count == highest || highest != 0 && count != 0;
      if (same || count < highest) {
        forced |= !same;
        bucket.setValue(highest);
      } else {
        highest = count;
      }
    }
    return forced;
  }

  private static double quantile(double q, TreeMap<Double, Double> buckets) {
    if (buckets.size() < 2 || buckets.lastKey() != INF || buckets.lastEntry().getValue() == 0) {
      return Double.NaN;
    }
    double rank = q * buckets.lastEntry().getValue();
    double start = 0;
    double below = 0;
    boolean first = true;
    for (var bucket : buckets.entrySet()) {
      double bound = bucket.getKey();
      if (bound == INF) {
        return buckets.lowerKey(INF);
      }
      if (bucket.getValue() >= rank) {
        return first && bound <= 0
            ? bound
            : start + (bound - start) * ((rank - below) / (bucket.getValue() - below));
      }
      start = bound;
      below = bucket.getValue();
      first = false;
    }
    throw new AssertionError();
  }

  private static double fraction(double lower, double upper, TreeMap<Double, Double> buckets) {
    double all = buckets.lastEntry().getValue();
    if (buckets.lastKey() != INF || all == 0) {
      return Double.NaN;
    }
    return lower >= upper ? 0 : (rank(upper, buckets) - rank(lower, buckets)) / all;
  }

  private static double rank(double value, TreeMap<Double, Double> buckets) {
    double all = buckets.lastEntry().getValue();
    var at = buckets.floorEntry(value);
    double below = at == null ? 0 : at.getValue();
    if (at != null && at.getKey() == value) {
      return Math.min(below, all);
    }
    var in = buckets.higherEntry(value);
    double start = at == null ? Double.NEGATIVE_INFINITY : at.getKey();
    double rank = below + (in.getValue() - below) * (value - start) / (in.getKey() - start);
    return rank > all ? all : rank;
  }
}

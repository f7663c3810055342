package io.fleetgauge.promql.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EdgeWindowsTest {
  private static final long LOOKBACK = 50;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theKernelEqualsItsPlainTwin(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 5_000; round++) {
      TreeMap<Long, Double> samples = new TreeMap<>();
      for (int i = 1 + random.nextInt(8); i > 0; i--) {
        samples.put(random.nextLong(100), (double) random.nextInt(10));
      }
      long[] times = samples.keySet().stream().mapToLong(Long::longValue).toArray();
      double[] values = samples.values().stream().mapToDouble(Double::doubleValue).toArray();

      double[] out = new double[6];
      EdgeWindows.smoothed(times, values, times.length, 5, 20, LOOKBACK, out);
      for (int i = 0; i < out.length; i++) {
        assertSame(out[i], smoothed(samples, 5 + i * 20));
      }
      long start = random.nextLong(80);
      long end = start + 1 + random.nextLong(60);
      boolean counter = random.nextBoolean();
      for (boolean smooth : new boolean[] {false, true}) {
        int from = 0;
        while (from < times.length && times[from] <= start - LOOKBACK) {
          from++;
        }
        int to = from;
        while (to < times.length && times[to] <= (smooth ? end + LOOKBACK : end)) {
          to++;
        }
        double got =
            from == to || times[to - 1] <= start
                ? Staleness.MARKER
                : EdgeWindows.change(times, values, from, to, start, end, smooth, counter);
        assertSame(got, change(samples, start, end, smooth, counter));
      }
    }
  }

  private static void assertSame(double got, double wanted) {
    assertThat(Double.doubleToRawLongBits(got)).isEqualTo(Double.doubleToRawLongBits(wanted));
  }

  private static double smoothed(TreeMap<Long, Double> samples, long time) {
    var before = samples.floorEntry(time);
    var after = samples.higherEntry(time);
    if (before == null || before.getKey() <= time - LOOKBACK) {
      return Staleness.MARKER;
    }
    boolean exact = before.getKey() == time;
    return exact || after == null || after.getKey() > time + LOOKBACK
        ? before.getValue()
        : between(before, after, time, false);
  }

  private static double between(
      Map.Entry<Long, Double> before, Map.Entry<Long, Double> after, long time, boolean counter) {
    double from = counter && after.getValue() < before.getValue() ? 0 : before.getValue();
    double share = time - before.getKey();
    return from + (after.getValue() - from) * share / (double) (after.getKey() - before.getKey());
  }

  /** The values at the edges, those between them, and the falls on the way. */
  private static double change(
      TreeMap<Long, Double> samples, long start, long end, boolean smooth, boolean counter) {
    TreeMap<Long, Double> near =
        new TreeMap<>(samples.subMap(start - LOOKBACK, false, smooth ? end + LOOKBACK : end, true));
    boolean onlyBefore = near.isEmpty() || near.lastKey() <= start;
    if (onlyBefore) {
      return Staleness.MARKER;
    }
    List<Double> line = new ArrayList<>();
    var anchor = near.floorEntry(start);
    if (smooth && anchor == null && near.firstKey() > end) {
      return Staleness.MARKER;
    }
    if (anchor != null) {
      boolean interpolated = smooth && anchor.getKey() < start;
      line.add(
          interpolated
              ? between(anchor, near.higherEntry(start), start, counter)
              : anchor.getValue());
    }
    line.addAll(near.subMap(start, false, end, true).values());
    var last = near.floorEntry(end);
    var behind = near.higherEntry(end);
    if (smooth && last.getKey() < end && behind != null) {
      line.add(between(last, behind, end, counter));
    }
    double change = line.getLast() - line.getFirst();
    for (int i = 1; i < line.size() && counter; i++) {
      change += line.get(i) < line.get(i - 1) ? line.get(i - 1) : 0;
    }
    return change;
  }
}

package io.fleetgauge.promql.query;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Series of hosts over some minutes, from a seed: gauges, counters that fall, gaps, markers. */
public final class RandomSeries {
  /** No sample is at this time or later, ms. */
  public static final long END = 180_000;

  private static final long TICK = 5_000;

  private final SplittableRandom random;
  private final boolean oddValues;

  /**
   * @param oddValues whether there are NaN, infinities and negative zeros
   */
  public RandomSeries(SplittableRandom random, boolean oddValues) {
    this.random = random;
    this.oddValues = oddValues;
  }

  /** The series of one host, which say so by {@code Hostname}, {@code node}, {@code machine}. */
  public List<Series> host(String name) {
    List<Series> all = new ArrayList<>();
    String rack = "r" + (1 + random.nextInt(2));
    for (String metric : List.of("power", "util", "requests_total")) {
      for (int gpu = 0; gpu < 1 + random.nextInt(3); gpu++) {
        Map<String, String> labels = new HashMap<>();
        labels.put(Labels.NAME, metric);
        labels.put("Hostname", name);
        labels.put("machine", name);
        labels.put("node", name);
        labels.put("gpu", "" + gpu);
        labels.put("rack", rack);
        all.add(series(Labels.of(labels), metric.endsWith("_total")));
      }
    }
    return all;
  }

  private Series series(Labels labels, boolean counter) {
    int size = (int) (END / TICK);
    long[] times = new long[size];
    double[] values = new double[size];
    double value = random.nextInt(100);
    int used = 0;
    for (int i = 0; i < size; i++) {
      if (random.nextInt(12) == 0) {
        continue; // a tick that was missed
      }
      value = counter ? value + random.nextInt(9) : random.nextDouble() * 400;
      if (counter && random.nextInt(20) == 0) {
        value = 0;
      }
      times[used] = i * TICK + random.nextInt(50);
      values[used++] = random.nextInt(30) == 0 ? Staleness.MARKER : odd(value);
    }
    return new Series(labels, Arrays.copyOf(times, used), Arrays.copyOf(values, used));
  }

  private double odd(double value) {
    if (!oddValues) {
      return value;
    }
    return switch (random.nextInt(60)) {
      case 0 -> Double.NaN;
      case 1 -> Double.POSITIVE_INFINITY;
      case 2 -> -0.0;
      default -> value;
    };
  }
}

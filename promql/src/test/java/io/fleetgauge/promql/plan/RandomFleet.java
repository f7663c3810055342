package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** The series of some hosts over some minutes, dealt to shards, from a seed. */
final class RandomFleet {
  static final long END = 180_000;
  private static final long TICK = 5_000;

  private final SplittableRandom random;

  RandomFleet(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /**
   * Hosts whose series say so by {@code Hostname} and {@code machine}; a host has one shard.
   *
   * @param hostLabels by which each shard knows whose a series is; as many as there are shards
   */
  InMemoryShards shards(List<List<String>> hostLabels) {
    int hosts = 2 + random.nextInt(5);
    List<List<Series>> dealt = new ArrayList<>();
    List<Set<String>> names = new ArrayList<>();
    for (int i = 0; i < hostLabels.size(); i++) {
      dealt.add(new ArrayList<>());
      names.add(new TreeSet<>());
    }
    for (int host = 1; host <= hosts; host++) {
      int shard = random.nextInt(hostLabels.size());
      dealt.get(shard).addAll(host("n" + host));
      names.get(shard).add("n" + host);
    }
    List<InMemoryShards.Shard> shards = new ArrayList<>();
    for (int i = 0; i < hostLabels.size(); i++) {
      shards.add(
          new InMemoryShards.Shard(
              hostLabels.get(i), names.get(i), new InMemorySeries(dealt.get(i))));
    }
    return new InMemoryShards(shards);
  }

  private List<Series> host(String name) {
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
    return new Series(
        labels, java.util.Arrays.copyOf(times, used), java.util.Arrays.copyOf(values, used));
  }

  private double odd(double value) {
    return switch (random.nextInt(60)) {
      case 0 -> Double.NaN;
      case 1 -> Double.POSITIVE_INFINITY;
      case 2 -> -0.0;
      default -> value;
    };
  }
}

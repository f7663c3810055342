package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.promql.query.RandomSeries;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** The series of some hosts over some minutes, dealt to shards, from a seed. */
final class RandomFleet {
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
    RandomSeries series = new RandomSeries(random, true);
    int hosts = 2 + random.nextInt(5);
    List<List<Series>> dealt = new ArrayList<>();
    List<Set<String>> names = new ArrayList<>();
    for (int i = 0; i < hostLabels.size(); i++) {
      dealt.add(new ArrayList<>());
      names.add(new TreeSet<>());
    }
    for (int host = 1; host <= hosts; host++) {
      int shard = random.nextInt(hostLabels.size());
      dealt.get(shard).addAll(series.host("n" + host));
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
}

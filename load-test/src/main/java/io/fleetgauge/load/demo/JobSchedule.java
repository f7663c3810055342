package io.fleetgauge.load.demo;

import java.util.Optional;
import java.util.SplittableRandom;

/**
 * The jobs of the simulated nodes over time. Jobs of four tenants take one to four neighbouring
 * nodes for some minutes, with pauses between them. A function of the seed, so that times may be
 * asked for in any order.
 */
final class JobSchedule {
  private static final String[] TENANTS = {"atlas", "borealis", "cirrus", "delta"};
  private static final String[] KINDS = {"train", "finetune", "eval", "serve"};

  /** Nodes that are scheduled together. */
  private static final int GROUP = 5;

  private static final long SLOT_MILLIS = 10 * 60_000L;

  private final long seed;

  /** A job on a node. */
  record Job(String name, String tenant, double intensity) {}

  JobSchedule(long seed) {
    this.seed = seed;
  }

  /** The job that holds the node, if any. */
  Optional<Job> on(int node, long time) {
    int group = node / GROUP;
    // Groups change at different times, or the whole fleet would pause together.
    long shifted = time + group * 97_000L;
    long slot = Math.floorDiv(shifted, SLOT_MILLIS);
    SplittableRandom random = new SplittableRandom(seed ^ group * 0x9e3779b97f4a7c15L ^ slot << 8);
    long into = Math.floorMod(shifted, SLOT_MILLIS);
    int split = 1 + random.nextInt(GROUP - 1);
    boolean first = node % GROUP < split;
    Job left = job(random, group, slot, "a");
    Job right = job(random, group, slot, "b");
    long leftPause = random.nextLong(SLOT_MILLIS / 3);
    long rightPause = random.nextLong(SLOT_MILLIS / 3);
    if (into < (first ? leftPause : rightPause)) {
      return Optional.empty();
    }
    return Optional.of(first ? left : right);
  }

  private static Job job(SplittableRandom random, int group, long slot, String part) {
    String tenant = TENANTS[random.nextInt(TENANTS.length)];
    String kind = KINDS[random.nextInt(KINDS.length)];
    String name = kind + "-" + Math.floorMod(slot, 100_000) + group + part;
    return new Job(name, tenant, 0.55 + 0.45 * random.nextDouble());
  }
}

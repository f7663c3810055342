package io.fleetgauge.load.nodes.jobs;

import java.util.List;

/**
 * A job or pod.
 *
 * @param number that Slurm gives it
 * @param word the first part of its name
 * @param ranks its GPUs, by rank
 * @param began ms since the epoch
 * @param ends ms since the epoch
 * @param seed of what it does
 */
public record Job(
    String name,
    long number,
    String tenant,
    String word,
    JobKind kind,
    List<Rank> ranks,
    long began,
    long ends,
    long seed) {
  public Job {
    ranks = List.copyOf(ranks);
  }

  /** The rank of a GPU; -1 for none. */
  public int rank(int host, int gpu) {
    for (int i = 0; i < ranks.size(); i++) {
      if (ranks.get(i).gpu() == gpu && ranks.get(i).place().number() == host) {
        return i;
      }
    }
    return -1;
  }

  /** Tells whether a node is one of its nodes. */
  public boolean isOn(int host) {
    return ranks.stream().anyMatch(rank -> rank.place().number() == host);
  }
}

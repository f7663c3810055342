package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.JobStep;
import io.fleetgauge.query.faults.reading.JobStep.JobGpu;
import io.fleetgauge.query.faults.reading.Readings;
import io.fleetgauge.query.faults.reading.Signal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts of collective operations of a job's ranks, by communicator. Ranks of a communicator begin
 * the same operations in the same order; each waits in an operation until all have begun it. Hosts
 * are read at different moments, so counts of ranks that move may differ; those of ranks that stand
 * still may not.
 */
final class RankCounts {
  /** By communicator, and GPU. */
  private final Map<String, Map<String, Rank>> all;

  /** A rank as it was seen last; one object for each change. */
  record Rank(
      String host,
      String uuid,
      int number,
      double ranks,
      double missing,
      double count,
      long moved) {}

  /**
   * A communicator in which no rank has moved for a while.
   *
   * @param since the last move of a rank, ms
   * @param behind ranks with fewer operations than others, the fewest first
   * @param ahead ranks with the most operations
   * @param missing ranks that NCCL misses
   * @param ranks of the communicator, seen or not
   */
  record Standing(
      String communicator,
      long since,
      List<Rank> behind,
      List<Rank> ahead,
      int missing,
      int ranks) {}

  RankCounts() {
    this(new TreeMap<>());
  }

  private RankCounts(Map<String, Map<String, Rank>> all) {
    this.all = all;
  }

  RankCounts copy() {
    Map<String, Map<String, Rank>> copy = new TreeMap<>();
    all.forEach((communicator, ranks) -> copy.put(communicator, new HashMap<>(ranks)));
    return new RankCounts(copy);
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /**
   * Goes on to a step. Ranks of GPUs that are not seen any more, or are not fresh, are left out.
   *
   * @return true if a count has changed
   */
  boolean on(JobStep step) {
    boolean moved = false;
    Map<String, Map<String, Rank>> next = new TreeMap<>();
    for (JobGpu at : step.gpus()) {
      if (!at.fresh()) {
        continue;
      }
      for (Map.Entry<String, Readings> each : at.gpu().ranks().entrySet()) {
        Readings readings = each.getValue();
        double count = readings.get(Signal.OPERATIONS);
        if (Double.isNaN(count)) {
          continue;
        }
        String communicator = each.getKey();
        String uuid = at.gpu().uuid();
        Rank before = all.getOrDefault(communicator, Map.of()).get(uuid);
        boolean isSame = before != null && before.count == count;
        moved |= before != null && !isSame;
        next.computeIfAbsent(communicator, none -> new HashMap<>())
            .put(
                uuid,
                new Rank(
                    at.host().host(),
                    uuid,
                    (int) readings.get(Signal.RANK_NUMBER, -1),
                    readings.get(Signal.RANKS, 0),
                    readings.get(Signal.RANKS_MISSING, 0),
                    count,
                    isSame ? before.moved : step.time()));
      }
    }
    all.clear();
    all.putAll(next);
    return moved;
  }

  /** The communicators that stand still with counts that differ, or without some of their ranks. */
  List<Standing> standing(long time, long after) {
    List<Standing> standing = new ArrayList<>();
    all.forEach(
        (communicator, ranks) -> {
          Collection<Rank> seen = ranks.values();
          long since = seen.stream().mapToLong(Rank::moved).max().orElse(time);
          double most = seen.stream().mapToDouble(Rank::count).max().orElse(0);
          int missing = (int) seen.stream().mapToDouble(Rank::missing).max().orElse(0);
          int size = (int) seen.stream().mapToDouble(Rank::ranks).max().orElse(0);
          List<Rank> behind =
              seen.stream().filter(rank -> rank.count < most).sorted(ORDER).toList();
          if (time - since >= after && (!behind.isEmpty() || missing > 0)) {
            List<Rank> ahead =
                seen.stream().filter(rank -> rank.count == most).sorted(ORDER).toList();
            standing.add(
                new Standing(
                    communicator, since, behind, ahead, missing, Math.max(size, seen.size())));
          }
        });
    return standing;
  }

  /** The number of a GPU's rank in the largest communicator that has it; -1 if it is not known. */
  int number(String uuid) {
    int number = -1;
    double largest = -1;
    for (Map<String, Rank> ranks : all.values()) {
      Rank rank = ranks.get(uuid);
      if (rank != null && rank.ranks > largest) {
        largest = rank.ranks;
        number = rank.number;
      }
    }
    return number;
  }

  private static final Comparator<Rank> ORDER =
      Comparator.comparingDouble(Rank::count)
          .thenComparing(Rank::host)
          .thenComparingInt(Rank::number)
          .thenComparing(Rank::uuid);
}

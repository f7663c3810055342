package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.sample.frame.PseudoHosts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which cluster answers for a host that several have: the one with the newest sample of it. It goes
 * on to answer until another has samples that are newer by more than a few ticks. A cluster cannot
 * take over a host that sends elsewhere: times that are still to come count as now. Series without
 * a host are read in every cluster. Thread-safe.
 */
final class HostChoice {
  /** A lead of less is the time between two looks. */
  private static final long MIN_LEAD_MILLIS = 15_000;

  private static final int LEAD_TICKS = 3;

  private final List<String> clusters;
  private final Map<String, Known> known = new HashMap<>();
  private Choice choice = new Choice(0, Map.of(), Map.of());

  /** What a cluster said last. */
  private record Known(long epoch, Map<String, HostState> hosts) {}

  /**
   * One choice.
   *
   * @param number rises with each other choice
   * @param winners the cluster that answers, by host that several clusters have
   * @param without the hosts that are not read, by cluster
   */
  record Choice(long number, Map<String, String> winners, Map<String, Set<String>> without) {
    Set<String> without(String cluster) {
      return without.getOrDefault(cluster, Set.of());
    }
  }

  /**
   * @param clusters the first of them answers where nothing else decides
   */
  HostChoice(List<String> clusters) {
    this.clusters = List.copyOf(clusters);
  }

  /**
   * Notes what a cluster says.
   *
   * @param epoch of its table
   * @param missing hosts of which it says nothing now
   * @param now ms since the epoch
   */
  synchronized void heard(
      String cluster,
      long epoch,
      Collection<HostState> hosts,
      Collection<String> missing,
      long now) {
    Map<String, HostState> all = new HashMap<>();
    Known before = known.get(cluster);
    if (before != null) {
      for (String host : missing) {
        HostState last = before.hosts.get(host);
        if (last != null) {
          all.put(host, last);
        }
      }
    }
    for (HostState each : hosts) {
      if (!PseudoHosts.isOne(each.name())) {
        all.put(
            each.name(),
            new HostState(
                each.name(), Math.min(each.newest(), now), each.tickMillis(), each.series()));
      }
    }
    known.put(cluster, new Known(epoch, all));
    choose();
  }

  private void choose() {
    Map<String, List<String>> holders = new TreeMap<>();
    for (String cluster : clusters) {
      if (known.containsKey(cluster)) {
        for (String host : known.get(cluster).hosts.keySet()) {
          holders.computeIfAbsent(host, none -> new ArrayList<>()).add(cluster);
        }
      }
    }
    Map<String, String> winners = new TreeMap<>();
    Map<String, Set<String>> without = new HashMap<>();
    holders.forEach(
        (host, of) -> {
          if (of.size() > 1) {
            String winner = winner(host, of);
            winners.put(host, winner);
            of.stream()
                .filter(each -> !each.equals(winner))
                .forEach(each -> without.computeIfAbsent(each, none -> new HashSet<>()).add(host));
          }
        });
    if (!winners.equals(choice.winners)) {
      choice = new Choice(choice.number + 1, Map.copyOf(winners), Map.copyOf(without));
    }
  }

  private String winner(String host, List<String> holders) {
    String winner = choice.winners.get(host);
    if (winner == null || !holders.contains(winner)) {
      winner = holders.getFirst();
    }
    for (String other : holders) {
      HostState theirs = known.get(other).hosts.get(host);
      HostState ours = known.get(winner).hosts.get(host);
      long lead =
          Math.max(MIN_LEAD_MILLIS, LEAD_TICKS * Math.max(theirs.tickMillis(), ours.tickMillis()));
      if (theirs.newest() - ours.newest() > lead) {
        winner = other;
      }
    }
    return winner;
  }

  /** The present choice. */
  synchronized Choice choice() {
    return choice;
  }

  /** The epoch of a cluster's table when it was heard last; -1 before. */
  synchronized long epoch(String cluster) {
    Known last = known.get(cluster);
    return last == null ? -1 : last.epoch;
  }

  /** The hosts that a cluster answers for, as far as they are known; sorted. */
  synchronized List<String> hosts(String cluster) {
    Known last = known.get(cluster);
    if (last == null) {
      return List.of();
    }
    Set<String> without = choice.without(cluster);
    return last.hosts.keySet().stream().filter(host -> !without.contains(host)).sorted().toList();
  }
}

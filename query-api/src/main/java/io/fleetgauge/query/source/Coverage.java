package io.fleetgauge.query.source;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which hosts an answer covers, and how it was read.
 *
 * @param hosts number of hosts that the answer should cover
 * @param missing the hosts that it does not cover, sorted
 * @param epoch of the table that named the owners; -1 when no shard was asked
 * @param times time that each shard took
 * @param hedged true if a replica answered for any host in place of its owner
 * @param split description of a split of the cluster; empty when there is none
 * @param clusters gaps of clusters, where several are read; sorted by their names
 * @param lacks what other stores should have added, and did not
 */
public record Coverage(
    int hosts,
    List<String> missing,
    long epoch,
    List<ShardTime> times,
    boolean hedged,
    String split,
    List<ClusterGap> clusters,
    List<Lack> lacks) {
  /** Coverage of a read that asked no shard. */
  public static final Coverage NONE = new Coverage(0, List.of(), -1, List.of(), false, "");

  private static final int MAX_NAMES = 10;

  /**
   * A store whose samples are missing, or some of them.
   *
   * @param source name of the store
   * @param reason why, after "the source NAME"
   */
  public record Lack(String source, String reason) {
    String warning() {
      return "incomplete result: the source " + source + " " + reason;
    }
  }

  /** Coverage of gateways alone. */
  public Coverage(
      int hosts,
      List<String> missing,
      long epoch,
      List<ShardTime> times,
      boolean hedged,
      String split,
      List<ClusterGap> clusters) {
    this(hosts, missing, epoch, times, hedged, split, clusters, List.of());
  }

  /** Of one cluster. */
  public Coverage(
      int hosts,
      List<String> missing,
      long epoch,
      List<ShardTime> times,
      boolean hedged,
      String split) {
    this(hosts, missing, epoch, times, hedged, split, List.of());
  }

  /** Coverage of an answer that did not have to read a shard. */
  public static Coverage whole(int hosts, long epoch) {
    return new Coverage(hosts, List.of(), epoch, List.of(), false, "");
  }

  /** Returns true if nothing is missing. */
  public boolean isWhole() {
    return missing.isEmpty()
        && split.isEmpty()
        && clusters.stream().noneMatch(ClusterGap::isMissing)
        && lacks.isEmpty();
  }

  /** The coverage of an answer that is made of two reads. */
  public Coverage and(Coverage other) {
    if (epoch < 0) {
      return other.lacking(lacks);
    }
    if (other.epoch < 0) {
      return lacking(other.lacks);
    }
    TreeSet<String> either = new TreeSet<>(missing);
    either.addAll(other.missing);
    List<ShardTime> all = new ArrayList<>(times);
    all.addAll(other.times);
    return new Coverage(
        Math.max(hosts, other.hosts),
        List.copyOf(either),
        Math.max(epoch, other.epoch),
        all,
        hedged || other.hedged,
        split.isEmpty() ? other.split : split,
        ClusterGap.together(clusters, other.clusters),
        either(lacks, other.lacks));
  }

  private static List<Lack> either(Collection<Lack> some, Collection<Lack> more) {
    Set<Lack> all = new LinkedHashSet<>(some);
    all.addAll(more);
    return List.copyOf(all);
  }

  /** The same, but without what some more stores have. */
  public Coverage lacking(Collection<Lack> lacksToo) {
    return lacks.containsAll(lacksToo)
        ? this
        : new Coverage(
            hosts, missing, epoch, times, hedged, split, clusters, either(lacks, lacksToo));
  }

  /** Names of the stores that lack something, each once. */
  public List<String> lackingSources() {
    return lacks.stream().map(Lack::source).distinct().toList();
  }

  /** The same, but without some more hosts. */
  public Coverage without(Collection<String> hostsToo) {
    if (hostsToo.isEmpty()) {
      return this;
    }
    TreeSet<String> all = new TreeSet<>(missing);
    all.addAll(hostsToo);
    return new Coverage(hosts, List.copyOf(all), epoch, times, hedged, split, clusters, lacks);
  }

  /** The same, not telling how long each shard took. */
  public Coverage withoutTimes() {
    return new Coverage(hosts, missing, epoch, List.of(), hedged, split, clusters, lacks);
  }

  /** One warning for each kind of gap, and for each cluster; empty when there is none. */
  public List<String> warnings() {
    List<String> all = new ArrayList<>();
    if (!missing.isEmpty()) {
      List<String> names = new ArrayList<>(missing.subList(0, Math.min(MAX_NAMES, missing.size())));
      if (missing.size() > MAX_NAMES) {
        names.add((missing.size() - MAX_NAMES) + " more");
      }
      all.add(
          "incomplete result: "
              + missing.size()
              + " of "
              + hosts
              + " hosts are missing: "
              + String.join(", ", names));
    }
    if (!split.isEmpty()) {
      all.add(split);
    }
    clusters.stream().filter(ClusterGap::isMissing).forEach(gap -> all.add(gap.warning()));
    lacks.forEach(lack -> all.add(lack.warning()));
    return List.copyOf(all);
  }
}

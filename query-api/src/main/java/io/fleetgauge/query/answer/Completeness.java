package io.fleetgauge.query.answer;

import io.fleetgauge.query.source.ClusterGap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which hosts an answer covers, and how fresh they are. For a caller with a scope, only hosts that
 * have a series in it count.
 *
 * @param expected number of hosts that it should cover; {@link #UNKNOWN} if that is not known
 * @param missing those of them that it does not cover, sorted
 * @param unseen true if hosts are missing of which it is not known whether they should be covered
 * @param epoch of the table that named the owners; {@link #UNKNOWN} for a caller with a scope,
 *     because it tells of the hosts of others
 * @param watermark the time up to which all hosts that send ticks have sent them, ms; {@link
 *     Long#MIN_VALUE} when it is not known, and for a caller with a scope
 * @param warnings one for each kind of gap; empty when the answer is whole
 * @param clusters gaps of clusters, where several are read
 * @param sources names of other stores that should have added to it, and did not
 */
public record Completeness(
    int expected,
    List<String> missing,
    boolean unseen,
    long epoch,
    long watermark,
    List<String> warnings,
    List<ClusterGap> clusters,
    List<String> sources) {
  /** In place of a number of hosts, or of an epoch. */
  public static final int UNKNOWN = -1;

  /** Of one cluster. */
  public Completeness(
      int expected,
      List<String> missing,
      boolean unseen,
      long epoch,
      long watermark,
      List<String> warnings) {
    this(expected, missing, unseen, epoch, watermark, warnings, List.of(), List.of());
  }

  /** That of two answers together: what either misses is missing. */
  public Completeness and(Completeness other) {
    boolean known = expected != UNKNOWN && other.expected != UNKNOWN;
    Set<String> all = new TreeSet<>(missing);
    all.addAll(other.missing);
    Set<String> texts = new LinkedHashSet<>(warnings);
    texts.addAll(other.warnings);
    Set<String> stores = new TreeSet<>(sources);
    stores.addAll(other.sources);
    return new Completeness(
        known ? Math.max(expected, other.expected) : UNKNOWN,
        List.copyOf(all),
        unseen || other.unseen,
        Math.min(epoch, other.epoch),
        Math.min(watermark, other.watermark),
        List.copyOf(texts),
        ClusterGap.together(clusters, other.clusters),
        List.copyOf(stores));
  }

  /** Number of hosts that the answer covers; {@link #UNKNOWN} if that is not known. */
  public int answered() {
    if (expected == UNKNOWN) {
      return UNKNOWN;
    }
    return expected - VisibleHosts.nodes(missing);
  }

  public boolean isWhole() {
    return warnings.isEmpty();
  }

  /** The names of clusters of which anything is missing. */
  public List<String> lacking() {
    return clusters.stream().filter(ClusterGap::isMissing).map(ClusterGap::cluster).toList();
  }

  /** Remarks about clusters without which an answer is whole. */
  List<String> notes() {
    return clusters.stream().filter(gap -> !gap.isMissing()).map(ClusterGap::warning).toList();
  }
}

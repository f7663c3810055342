package io.fleetgauge.query.answer;

import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.sample.frame.PseudoHosts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
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
 */
public record Completeness(
    int expected,
    List<String> missing,
    boolean unseen,
    long epoch,
    long watermark,
    List<String> warnings) {
  /** In place of a number of hosts, or of an epoch. */
  public static final int UNKNOWN = -1;

  private static final String UNSEEN =
      "incomplete result: hosts that may have data of this scope are missing";
  private static final String SPLIT =
      "the cluster is split, and samples that its other side accepts are missing";

  /** For a caller that sees all hosts. */
  static Completeness of(Coverage coverage, long watermark) {
    return new Completeness(
        coverage.hosts(),
        coverage.missing(),
        false,
        coverage.epoch(),
        watermark,
        coverage.warnings());
  }

  /**
   * For a caller with a scope.
   *
   * @param seen hosts that it sees, if they are known
   */
  static Completeness within(Optional<VisibleHosts.Seen> seen, Coverage coverage) {
    List<String> missing = List.of();
    boolean unseen = seen.isEmpty() && !coverage.missing().isEmpty();
    if (seen.isPresent()) {
      missing = coverage.missing().stream().filter(seen.get().hosts()::contains).toList();
      unseen = coverage.missing().stream().anyMatch(seen.get().unknown()::contains);
    }
    int expected = seen.map(each -> nodes(each.hosts())).orElse(UNKNOWN);
    List<String> warnings =
        new ArrayList<>(
            new Coverage(expected, missing, coverage.epoch(), List.of(), false, "").warnings());
    if (unseen) {
      warnings.add(UNSEEN);
    }
    if (!coverage.split().isEmpty()) {
      warnings.add(SPLIT);
    }
    return new Completeness(
        expected, missing, unseen, UNKNOWN, Long.MIN_VALUE, List.copyOf(warnings));
  }

  /** That of two answers together: what either misses is missing. */
  public Completeness and(Completeness other) {
    boolean known = expected != UNKNOWN && other.expected != UNKNOWN;
    Set<String> all = new TreeSet<>(missing);
    all.addAll(other.missing);
    Set<String> texts = new LinkedHashSet<>(warnings);
    texts.addAll(other.warnings);
    return new Completeness(
        known ? Math.max(expected, other.expected) : UNKNOWN,
        List.copyOf(all),
        unseen || other.unseen,
        Math.min(epoch, other.epoch),
        Math.min(watermark, other.watermark),
        List.copyOf(texts));
  }

  private static int nodes(Collection<String> hosts) {
    return (int) hosts.stream().filter(host -> !PseudoHosts.isOne(host)).count();
  }

  /** Number of hosts that the answer covers; {@link #UNKNOWN} if that is not known. */
  public int answered() {
    if (expected == UNKNOWN) {
      return UNKNOWN;
    }
    long nodes = missing.stream().filter(host -> !PseudoHosts.isOne(host)).count();
    return expected - (int) nodes;
  }

  public boolean isWhole() {
    return warnings.isEmpty();
  }
}

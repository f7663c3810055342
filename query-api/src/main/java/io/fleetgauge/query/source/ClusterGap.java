package io.fleetgauge.query.source;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * What an answer lacks of one of several clusters.
 *
 * @param cluster its name
 * @param reason for people
 */
public record ClusterGap(String cluster, Kind kind, String reason) {
  /** Kinds of gaps. */
  public enum Kind {
    /** Everything, because the cluster did not answer. */
    CLUSTER,
    /** Some hosts. */
    HOSTS,
    /** The caller sees nothing of the cluster; an answer is whole without it. */
    NOT_SEEN
  }

  /** Returns true if the answer is incomplete. */
  public boolean isMissing() {
    return kind != Kind.NOT_SEEN;
  }

  /** For people. */
  public String warning() {
    return switch (kind) {
      case CLUSTER -> "incomplete result: cluster " + cluster + " is missing: " + reason;
      case HOSTS -> "incomplete result: of cluster " + cluster + ", " + reason;
      case NOT_SEEN -> "nothing is read of cluster " + cluster + ": " + reason;
    };
  }

  /** The gaps of an answer that is made of two reads, each once. */
  public static List<ClusterGap> together(List<ClusterGap> one, List<ClusterGap> other) {
    return Stream.concat(one.stream(), other.stream())
        .distinct()
        .sorted(Comparator.comparing(ClusterGap::cluster).thenComparing(ClusterGap::kind))
        .toList();
  }
}

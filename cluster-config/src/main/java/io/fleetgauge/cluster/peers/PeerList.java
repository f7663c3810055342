package io.fleetgauge.cluster.peers;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The query APIs of the cluster, as one of them sees them.
 *
 * @param version rises when somebody appears, falls silent, goes, or is listed or not any more; not
 *     with each note
 * @param self the name of the one that sees them
 * @param others those that were heard in the last two minutes, by name
 * @param listed names of the others that the cluster's membership shows; empty until it is known
 * @param members number that the cluster's membership shows, this one included
 */
public record PeerList(
    long version, String self, List<Peer> others, Optional<Set<String>> listed, int members) {
  public PeerList {
    others = List.copyOf(others);
    listed = listed.map(Set::copyOf);
  }

  /** The others that are live, by name. */
  public List<Peer> live() {
    return others.stream().filter(Peer::isLive).toList();
  }

  /** The names of the others that are live. */
  public Set<String> liveNames() {
    return live().stream().map(Peer::name).collect(Collectors.toUnmodifiableSet());
  }

  /** The other one of a name. */
  public Optional<Peer> of(String name) {
    return others.stream().filter(each -> each.name().equals(name)).findFirst();
  }

  /** The names of all that may be running, this one included, in order. */
  public List<String> counted() {
    return Stream.concat(Stream.of(self), others.stream().filter(Peer::isCounted).map(Peer::name))
        .sorted()
        .toList();
  }

  /**
   * Number of query APIs that may be running, this one included. Some may not have been heard yet.
   */
  public int count() {
    return Math.max(members, counted().size());
  }

  /** Returns true if each one that is listed is live. */
  public boolean seesAll() {
    return listed.filter(names -> liveNames().containsAll(names)).isPresent();
  }

  /** Returns true if each one that is listed has heard this process since then, ms of its clock. */
  public boolean haveHeardSince(long time) {
    return listed
        .filter(
            names ->
                names.stream()
                    .allMatch(
                        name -> of(name).filter(peer -> peer.acknowledged() > time).isPresent()))
        .isPresent();
  }
}

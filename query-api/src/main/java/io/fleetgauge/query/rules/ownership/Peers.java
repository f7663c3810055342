package io.fleetgauge.query.rules.ownership;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The other query APIs, by what this one hears of them. */
final class Peers {
  private static final int MAX_PEERS = 64;
  private static final int KEPT_LIVES = 16;
  private static final long REMEMBERED_MILLIS = 60_000;

  private final SortedMap<String, Peer> peers = new TreeMap<>();

  /** A query API that has been heard. */
  static final class Peer {
    private final Deque<Long> pastLives = new ArrayDeque<>();
    private long life;
    private long sequence;
    private long heardAt;
    private long answered;
    private boolean serving;
    private Map<Long, Beat.Known> groups = Map.of();

    long life() {
      return life;
    }

    /** The newest of our beats that this one answered. */
    long answered() {
      return answered;
    }

    Map<Long, Beat.Known> groups() {
      return groups;
    }

    private boolean isLive(long now, long silentMillis) {
      return serving && now - heardAt < silentMillis;
    }
  }

  /** What a beat changed. */
  enum Change {
    /** Nothing that the owners depend on. */
    NONE,
    /** Who is live, or which groups they know. */
    OWNERS
  }

  /**
   * A beat has come; one that is older than another is ignored.
   *
   * @param life of this process
   */
  Change heard(Beat beat, long life, long now) {
    Peer peer = peers.get(beat.from());
    boolean isNew = peer == null;
    if (isNew) {
      if (peers.size() >= MAX_PEERS) {
        return Change.NONE;
      }
      peer = new Peer();
      peer.life = beat.life();
      peers.put(beat.from(), peer);
    } else if (peer.life != beat.life()) {
      if (peer.pastLives.contains(beat.life())) {
        return Change.NONE;
      }
      peer.pastLives.addLast(peer.life);
      if (peer.pastLives.size() > KEPT_LIVES) {
        peer.pastLives.removeFirst();
      }
      peer.life = beat.life();
      peer.sequence = 0;
      peer.answered = 0;
    }
    if (beat.answers() == life) {
      peer.answered = Math.max(peer.answered, beat.answered());
    }
    if (beat.sequence() <= peer.sequence) {
      return Change.NONE;
    }
    peer.sequence = beat.sequence();
    Map<Long, Beat.Known> groups = new HashMap<>();
    beat.groups().forEach(known -> groups.put(known.group(), known));
    boolean same = !isNew && peer.serving == beat.serving() && isSame(groups, peer.groups);
    peer.heardAt = now;
    peer.serving = beat.serving();
    peer.groups = groups;
    return same ? Change.NONE : Change.OWNERS;
  }

  private static boolean isSame(Map<Long, Beat.Known> now, Map<Long, Beat.Known> before) {
    if (now.size() != before.size()) {
      return false;
    }
    for (Beat.Known known : now.values()) {
      Beat.Known other = before.get(known.group());
      if (other == null
          || other.definition() != known.definition()
          || other.weight() != known.weight()) {
        return false;
      }
    }
    return true;
  }

  /** Those that are live, by name. */
  SortedMap<String, Peer> live(long now, long silentMillis) {
    SortedMap<String, Peer> live = new TreeMap<>();
    peers.forEach(
        (name, peer) -> {
          if (peer.isLive(now, silentMillis)) {
            live.put(name, peer);
          }
        });
    return live;
  }

  /** Whether one that knew a group is not live any more, and so may have evaluated it. */
  boolean hasLost(long group, long now, long silentMillis) {
    return peers.values().stream()
        .anyMatch(peer -> peer.groups.containsKey(group) && !peer.isLive(now, silentMillis));
  }

  Optional<Peer> of(String name) {
    return Optional.ofNullable(peers.get(name));
  }

  /** Forgets those that are not listed, a minute after they were live. */
  void keep(Set<String> listed, long now, long silentMillis) {
    Iterator<Map.Entry<String, Peer>> all = peers.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<String, Peer> each = all.next();
      if (!listed.contains(each.getKey())
          && now - each.getValue().heardAt > silentMillis + REMEMBERED_MILLIS) {
        all.remove();
      }
    }
  }
}

package io.fleetgauge.cluster.bus;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which query APIs there are, by what this one hears. Not for several threads.
 *
 * <p>A query API that falls silent without saying goodbye may be dead or behind a broken network;
 * nobody can tell. It is counted for two more minutes, so that the two sides of a split do not both
 * take its share of the limits. One that was started again replaces its earlier life at once.
 */
final class PeerDirectory {
  /** A query API that was heard this recently is live, ms. */
  static final long LIVE_MILLIS = 2_000;

  /** A query API that fell silent is counted for so long, ms. */
  static final long LOST_MILLIS = 120_000;

  private static final int MAX_PEERS = MessageForm.MAX_PEERS;

  private final Peer self;
  private final Map<Peer, Long> heard = new TreeMap<>();
  private int members;

  PeerDirectory(Peer self) {
    this.self = self;
  }

  Peer self() {
    return self;
  }

  /** A message of another query API has arrived. */
  void heard(Peer peer, long now) {
    if (peer.life() == self.life()) {
      return;
    }
    if (!heard.containsKey(peer)) {
      heard.keySet().removeIf(other -> other.name().equals(peer.name()));
      if (heard.size() >= MAX_PEERS - 1) {
        return;
      }
    }
    heard.put(peer, now);
  }

  /** A query API has said that it stops. */
  void left(Peer peer) {
    heard.remove(peer);
  }

  /**
   * How many query APIs the cluster's membership shows. Some of them may not be heard yet.
   *
   * @param count this one included; 0 when it is not known
   */
  void members(int count) {
    members = count;
  }

  /** Those that are heard, this one among them, oldest first. */
  List<Peer> live(long now) {
    List<Peer> live = new ArrayList<>();
    live.add(self);
    heard.forEach(
        (peer, at) -> {
          if (now - at <= LIVE_MILLIS) {
            live.add(peer);
          }
        });
    live.sort(null);
    return live;
  }

  /** Those that are counted, this one among them, oldest first. */
  List<Peer> counted(long now) {
    heard.values().removeIf(at -> now - at > LOST_MILLIS);
    List<Peer> counted = new ArrayList<>(heard.keySet());
    counted.add(self);
    counted.sort(null);
    return counted;
  }

  /** How many query APIs share the limits: at least 1. */
  int count(long now) {
    return Math.max(members, counted(now).size());
  }

  /**
   * Whether a query API is counted. One that has stopped or was started again is not: its queries
   * have ended.
   */
  boolean isCounted(long life) {
    return life == self.life() || heard.keySet().stream().anyMatch(peer -> peer.life() == life);
  }

  /** The live query API that divides the limits of those that hear it: the oldest. */
  Peer dealer(long now) {
    return live(now).getFirst();
  }
}

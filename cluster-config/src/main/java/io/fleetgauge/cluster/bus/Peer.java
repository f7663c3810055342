package io.fleetgauge.cluster.bus;

import java.util.Comparator;

/**
 * A process on the bus.
 *
 * @param name what people call it, such as {@code host:9090}; the same after a restart
 * @param started when it was started, ms since the epoch
 * @param life a random number that is new at each start
 */
public record Peer(String name, long started, long life) implements Comparable<Peer> {
  private static final Comparator<Peer> OLDEST_FIRST =
      Comparator.comparingLong(Peer::started).thenComparingLong(Peer::life);

  /** Oldest first. */
  @Override
  public int compareTo(Peer other) {
    return OLDEST_FIRST.compare(this, other);
  }
}

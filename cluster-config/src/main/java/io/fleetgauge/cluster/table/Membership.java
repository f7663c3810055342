package io.fleetgauge.cluster.table;

import java.net.URI;

/**
 * A gateway that is a member of the cluster, and what gateways state about themselves.
 *
 * @param session names this membership; a gateway that joins anew has another one
 * @param zone as in {@link Situation.Gateway}
 * @param address where it is reached by HTTP
 */
public record Membership(String id, String session, String zone, URI address) {
  /**
   * One start of a gateway's process. What later tables than the kept one gave to the gateway
   * before they knew of this start, it may not have: it may have lost its store, or was not there.
   *
   * @param number another one for each start, not 0
   * @param generation of the table that it had kept when it started; 0 for none
   * @param kept the epoch of that table; 0 for none
   */
  public record Start(long number, long generation, long kept) {
    /** Returns true if the gateway knew of a holding when it started. */
    boolean knows(long ofGeneration, long since) {
      return generation == ofGeneration && since <= kept;
    }
  }

  /** Standings of a gateway. Their numbers are persisted. */
  public enum Standing {
    /** It is a member, and is given no hosts. */
    PRESENT,
    /** It may be given hosts. */
    ACTIVE,
    /** It has left on purpose, so its absence is not a split. */
    LEFT
  }

  /**
   * Statement of a gateway about itself.
   *
   * @param generation of the table that it follows; 0 for none
   */
  public record Stated(Standing standing, long generation, Start start) {}

  /**
   * Last statement of a gateway.
   *
   * @param session the membership in which it was made
   */
  public record Status(String session, Stated stated) {
    Standing standing() {
      return stated.standing();
    }

    long generation() {
      return stated.generation();
    }
  }
}

package io.fleetgauge.query.faults.running;

import io.fleetgauge.cluster.peers.Peer;
import io.fleetgauge.cluster.peers.PeerList;
import io.fleetgauge.cluster.peers.PeerMachine;
import io.fleetgauge.query.rules.ownership.OwnershipMachine;

/**
 * Decides whether this query API evaluates faults: whoever does goes on while it lives, and if
 * nobody does, the first by name of those that are live and would. Not for several threads.
 *
 * <p>Whoever begins, or finds that its loop stood still for longer than the lease, owns nothing
 * until all others have heard it since or have been silent for long, as {@link OwnershipMachine}
 * does for rules. It begins only when it has owned for a lease: by then the one before knows.
 */
final class FaultOwner {
  /** Topic of the note by which others know who evaluates faults: one of the bytes below. */
  static final String TOPIC = "faults";

  /** Note of a process that may not evaluate. */
  static final byte IDLE = 0;

  /** Note of a process that would evaluate if nobody did. */
  static final byte SERVES = 1;

  /** Note of the process that evaluates. */
  static final byte OWNS = 2;

  private static final long LEASE_MILLIS = OwnershipMachine.LEASE_MILLIS;

  private final String name;
  private boolean ticked;
  private boolean confirmed;
  private boolean leaving;
  private boolean owns;
  private long term;
  private long lastTick;
  private long confirmSince;
  private long ownsSince;

  /**
   * @param name of this query API
   */
  FaultOwner(String name) {
    this.name = name;
  }

  /**
   * Time passes.
   *
   * @param steady ms of a clock that never goes back
   */
  void tick(long steady, PeerList peers) {
    if (!ticked || steady - lastTick > LEASE_MILLIS) {
      confirmed = false;
      confirmSince = steady;
      lose();
    }
    ticked = true;
    lastTick = steady;
    if (!confirmed) {
      confirmed =
          steady - confirmSince >= PeerMachine.SILENT_MILLIS || peers.haveHeardSince(confirmSince);
    }
    boolean mayOwn =
        confirmed
            && !leaving
            && peers.live().stream().noneMatch(peer -> comesBefore(peer, owns ? OWNS : SERVES));
    if (mayOwn && !owns) {
      owns = true;
      ownsSince = steady;
    } else if (!mayOwn && owns) {
      lose();
    }
  }

  /**
   * Returns true if another process is to evaluate and not this one.
   *
   * @param mine the note of this process; of two that evaluate, the first by name goes on
   */
  private boolean comesBefore(Peer peer, byte mine) {
    byte theirs =
        peer.note(TOPIC).filter(note -> note.length == 1).map(note -> note[0]).orElse(IDLE);
    return theirs > mine || theirs == mine && peer.name().compareTo(name) < 0;
  }

  private void lose() {
    owns = false;
    term++;
  }

  /** This process stops. */
  void leave() {
    leaving = true;
    lose();
  }

  /** Note for the others. */
  byte[] note() {
    return new byte[] {owns ? OWNS : confirmed && !leaving ? SERVES : IDLE};
  }

  /** Rises with each loss: what was begun in a term may be published in that term only. */
  long term() {
    return term;
  }

  /** Returns true if this process evaluates faults, and the one before knows. */
  boolean mayBegin(long now) {
    return mayPublish(term, now) && now - ownsSince >= LEASE_MILLIS;
  }

  boolean mayPublish(long of, long now) {
    return owns && of == term && now - lastTick <= LEASE_MILLIS;
  }
}

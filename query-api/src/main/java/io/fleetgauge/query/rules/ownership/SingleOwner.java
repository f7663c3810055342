package io.fleetgauge.query.rules.ownership;

import io.fleetgauge.cluster.peers.Peer;
import io.fleetgauge.cluster.peers.PeerList;
import io.fleetgauge.cluster.peers.PeerMachine;

/**
 * Decides whether this query API does a work that one does for the cluster, such as the evaluation
 * of faults: whoever does goes on while it lives, and if nobody does, the first by name of those
 * that are live and would. Not for several threads.
 *
 * <p>Whoever begins, or finds that its loop stood still for longer than the lease, owns nothing
 * until all others have heard it since or have been silent for long, as {@link OwnershipMachine}
 * does for rules. It begins only when it has owned for a lease: by then the one before knows.
 */
public final class SingleOwner {
  /** Note of a process that may not do it. */
  static final byte IDLE = 0;

  /** Note of a process that would do it if nobody did. */
  static final byte SERVES = 1;

  /** Note of the process that does it. */
  static final byte OWNS = 2;

  private static final long LEASE_MILLIS = OwnershipMachine.LEASE_MILLIS;

  private final String topic;
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
   * @param topic of the note by which others know who does the work: one of the bytes above
   * @param name of this query API
   */
  public SingleOwner(String topic, String name) {
    this.topic = topic;
    this.name = name;
  }

  /**
   * Time passes.
   *
   * @param steady ms of a clock that never goes back
   */
  public void tick(long steady, PeerList peers) {
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
   * Returns true if another process is to do it and not this one.
   *
   * @param mine the note of this process; of two that do it, the first by name goes on
   */
  private boolean comesBefore(Peer peer, byte mine) {
    byte theirs =
        peer.note(topic).filter(note -> note.length == 1).map(note -> note[0]).orElse(IDLE);
    return theirs > mine || theirs == mine && peer.name().compareTo(name) < 0;
  }

  private void lose() {
    owns = false;
    term++;
  }

  /** This process stops. */
  public void leave() {
    leaving = true;
    lose();
  }

  /** Note for the others. */
  public byte[] note() {
    return new byte[] {owns ? OWNS : confirmed && !leaving ? SERVES : IDLE};
  }

  /** Rises with each loss: what was begun in a term may be published in that term only. */
  public long term() {
    return term;
  }

  /** Returns true if this process does the work, and the one before knows. */
  public boolean mayBegin(long now) {
    return mayPublish(term, now) && now - ownsSince >= LEASE_MILLIS;
  }

  /** Returns true if what was begun in a term may be published. */
  public boolean mayPublish(long of, long now) {
    return owns && of == term && now - lastTick <= LEASE_MILLIS;
  }
}

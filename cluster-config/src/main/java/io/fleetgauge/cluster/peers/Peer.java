package io.fleetgauge.cluster.peers;

import java.util.Map;
import java.util.Optional;

/**
 * Another query API, by what this one has heard of it.
 *
 * @param name by which people know it, such as {@code host:9090}; the same after a restart
 * @param life a random number that is new at each start
 * @param heardAt when its last heartbeat came, ms of this process's clock
 * @param acknowledged it has heard the heartbeat that this process sent then, ms of this process's
 *     clock; 0 if it has heard none
 * @param notes its notes, by topic
 */
public record Peer(
    String name,
    long life,
    State state,
    long heardAt,
    long acknowledged,
    Map<String, byte[]> notes) {
  /** Assumed state of a peer. */
  public enum State {
    /** It has been heard within {@link PeerMachine#SILENT_MILLIS}. */
    LIVE,
    /** It was not, and may be dead or behind a broken network; nobody can tell. */
    SILENT,
    /** It said that it stops. */
    GONE
  }

  public Peer {
    notes = Map.copyOf(notes);
  }

  public boolean isLive() {
    return state == State.LIVE;
  }

  /** Returns true if it may still be running. */
  public boolean isCounted() {
    return state != State.GONE;
  }

  /** Its last note on a topic. */
  public Optional<byte[]> note(String topic) {
    return Optional.ofNullable(notes.get(topic));
  }
}

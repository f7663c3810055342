package io.fleetgauge.cluster.peers;

import java.util.Map;

/**
 * A sign of life, with what its sender tells the others.
 *
 * @param from the sender's name, which it keeps over restarts
 * @param life tells its starts apart; not 0
 * @param sent us by the sender's clock that never goes back; rises with each heartbeat
 * @param answers the life of the receiver that the sender has heard last; 0 if it has heard none
 * @param answered the newest {@code sent} of that life that the sender has heard
 * @param leaving true if the sender stops
 * @param notes by topic; one that is absent is as it was
 */
public record Heartbeat(
    String from,
    long life,
    long sent,
    long answers,
    long answered,
    boolean leaving,
    Map<String, byte[]> notes) {
  public Heartbeat {
    notes = Map.copyOf(notes);
  }
}

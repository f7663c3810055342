package io.fleetgauge.probe.sampling;

/**
 * A reader waits for an answer and has nothing to say yet. It is well: its due classes are asked
 * for again at the next tick, and until then none of their series is repeated or ended.
 */
public final class NotYet extends Exception {
  private static final long serialVersionUID = 1L;

  public NotYet() {
    super("not yet", null, false, false);
  }
}

package io.fleetgauge.query.faults.detect;

/**
 * An answer to the question whether a GPU of a job is slower than its equals.
 *
 * @param reason a sentence
 * @param time end of the window that it is of, ms since the epoch; 0 before the first
 */
public record StragglerVerdict(State state, String reason, long time) {
  /** The three answers. */
  public enum State {
    /** All GPUs that have equals are as fast as them. */
    EQUAL,
    STRAGGLER,
    /** Nobody can say: no alert does not prove that all are well. */
    NOT_ENOUGH_EVIDENCE
  }

  static StragglerVerdict unknown(String reason, long time) {
    return new StragglerVerdict(State.NOT_ENOUGH_EVIDENCE, reason, time);
  }
}

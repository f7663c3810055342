package io.fleetgauge.query.faults.detect;

import io.fleetgauge.sample.gpu.FaultKind;

/**
 * An answer of a detector to the question whether a job has a fault of its kind now.
 *
 * @param reason a sentence without numbers that change from step to step: it is kept as a label
 */
public record Verdict(FaultKind kind, State state, String reason) {
  /** The three answers. */
  public enum State {
    FOUND("found"),
    NONE("none"),
    /** Nobody can say: no alert does not prove that all is well. */
    NOT_ENOUGH_EVIDENCE("not_enough_evidence");

    private final String text;

    State(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  public static Verdict unknown(FaultKind kind, String reason) {
    return new Verdict(kind, State.NOT_ENOUGH_EVIDENCE, reason);
  }
}

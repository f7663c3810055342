package io.fleetgauge.runtime.doctor;

/**
 * The result of a check.
 *
 * @param check the subject of the check, such as {@code tls}
 * @param text what was found
 * @param advice what to do; empty when there is nothing to do
 */
public record Finding(String check, Outcome outcome, String text, String advice) {
  /** Severities, the worst first. */
  public enum Outcome {
    /** The process does not start with this, or loses samples. */
    FAILURE("failure"),
    /** It works now, and may not later. */
    WARNING("warning"),
    /** It could not be checked. */
    SKIPPED("skipped"),
    OK("ok");

    public final String text;

    Outcome(String text) {
      this.text = text;
    }
  }
}

package io.fleetgauge.runtime.doctor;

/**
 * Something that was looked at.
 *
 * @param subject such as {@code tls}, or {@code gateway g1}
 * @param text what was found
 * @param advice what to do; empty when there is nothing to do
 */
public record Finding(String subject, Outcome outcome, String text, String advice) {
  /** Severities, the worst first. */
  public enum Outcome {
    /** Samples or answers are being lost, or soon will be, or the process does not start. */
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

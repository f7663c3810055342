package io.fleetgauge.cluster.status;

import io.vertx.core.json.JsonObject;
import java.util.Locale;

/**
 * Something that an operator has to know of.
 *
 * @param subject of the problem, such as {@code gateway g1}
 * @param text problem, in words
 * @param advice action for the operator
 */
public record Problem(Severity severity, String subject, String text, String advice) {
  /** Severities, the worst first. */
  public enum Severity {
    /** Samples or answers are being lost, or soon will be. */
    CRITICAL,
    /** Something is not as it should be. */
    WARNING;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Problem critical(String subject, String text, String advice) {
    return new Problem(Severity.CRITICAL, subject, text, advice);
  }

  static Problem warning(String subject, String text, String advice) {
    return new Problem(Severity.WARNING, subject, text, advice);
  }

  JsonObject json() {
    return new JsonObject()
        .put("severity", severity.text())
        .put("subject", subject)
        .put("text", text)
        .put("advice", advice);
  }
}

package io.fleetgauge.sample.gpu;

import java.util.Locale;
import java.util.Optional;

/** The severity of a fault. */
public enum Severity {
  /** Trouble of an application, or waste. */
  INFO,
  /** Somebody should look soon. */
  WARNING,
  /** The GPU or its node has to be drained, or a job makes no progress. */
  CRITICAL;

  private final String text = name().toLowerCase(Locale.ROOT);

  /** The value of the label {@code severity}. */
  public String text() {
    return text;
  }

  /** The severity of a name. */
  public static Optional<Severity> find(String text) {
    for (Severity severity : values()) {
      if (severity.text.equals(text)) {
        return Optional.of(severity);
      }
    }
    return Optional.empty();
  }
}

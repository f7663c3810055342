package io.fleetgauge.runtime.discovery;

import java.util.Locale;

/** An answer with no addresses that can be used. */
final class BadAnswer extends Exception {
  private static final long serialVersionUID = 1L;

  /** Why; the names are values of a label. */
  enum Reason {
    /** Nothing answered in time. */
    UNREACHABLE,
    /** A status that is not 200, or an error of DNS. */
    REFUSED,
    /** No address. */
    EMPTY,
    /** Not of the form that was expected. */
    MALFORMED,
    /** Longer than the limit. */
    TOO_LONG,
    /** More addresses than the limit. */
    TOO_MANY;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Reason reason;

  BadAnswer(Reason reason, String text) {
    // No stack trace: what sends answers is not part of this program.
    super(text, null, false, false);
    this.reason = reason;
  }

  Reason reason() {
    return reason;
  }
}

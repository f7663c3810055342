package io.fleetgauge.probe.nccl;

import java.io.IOException;
import java.util.Locale;

/** An answer that was not received, or not understood. */
final class RasFailure extends IOException {
  private static final long serialVersionUID = 1L;

  /** Why, as the label {@code reason} has it. */
  enum Reason {
    /** Nobody accepts connections. */
    REFUSED,
    /** It did not answer in time. */
    TIMEOUT,
    /** The answer is longer than any of a job. */
    TOO_LARGE,
    /** It is no answer of NCCL. */
    DAMAGED,
    /** The network namespace of the job must not be entered. */
    DENIED;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Reason reason;

  RasFailure(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  Reason reason() {
    return reason;
  }
}

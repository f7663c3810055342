package io.fleetgauge.runtime.trust;

import java.util.Locale;

/** Why a request is not believed to come from a process of the cluster. */
public enum RejectionReason {
  /** It has no signature. */
  UNSIGNED,
  /** Its signature has another form or version. */
  FORM,
  /** Its signature does not verify. */
  SIGNATURE,
  /** It was signed for another receiver. */
  RECEIVER,
  /** The clocks of sender and receiver differ too much, or it was sent long ago. */
  CLOCK,
  /** It was received before. */
  REPEATED,
  /** Too many senders are remembered to know whether it was received before. */
  SENDERS,
  /** Its body is not the one that was signed. */
  BODY;

  /** The value of the metric's label. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package io.fleetgauge.cluster.bus;

import java.util.Locale;

/** Why a received message is ignored. */
public enum Rejection {
  /** It is longer than any message may be. */
  TOO_LONG,
  /** Its bytes are not a message, or one of another version. */
  UNREADABLE,
  /** It has no proof of origin, or a wrong one. */
  UNPROVEN,
  /** It was sent too long ago, or clocks differ too much. */
  STALE,
  /** It was received before. */
  REPEATED;

  /** The value of the metric's label. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}

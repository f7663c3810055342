package io.fleetgauge.sample.relabel;

/** The actions of rules. */
public enum RelabelAction {
  /** Sets the target label to the replacement if the source matches. */
  REPLACE,
  /** Drops series whose source does not match. */
  KEEP,
  /** Drops series whose source matches. */
  DROP,
  /** Drops series whose target label differs from the source. */
  KEEPEQUAL,
  /** Drops series whose target label equals the source. */
  DROPEQUAL,
  /** Sets the target label to a hash of the source, modulo a number. */
  HASHMOD,
  /** Copies labels whose names match to the names that the replacement gives. */
  LABELMAP,
  /** Removes labels whose names match. */
  LABELDROP,
  /** Removes labels whose names do not match. */
  LABELKEEP,
  /** Sets the target label to the source in lower case. */
  LOWERCASE,
  /** Sets the target label to the source in upper case. */
  UPPERCASE;

  boolean needsTarget() {
    return switch (this) {
      case REPLACE, KEEPEQUAL, DROPEQUAL, HASHMOD, LOWERCASE, UPPERCASE -> true;
      case KEEP, DROP, LABELMAP, LABELDROP, LABELKEEP -> false;
    };
  }
}

package io.fleetgauge.sample.gpu;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Codes of XIDs by what they call for; which code is of which class is in {@code xids.tsv}. */
public enum XidClass {
  /** The GPU or its node has to be drained: a fault, and an alert. */
  CRITICAL,
  /** An exception of the application, or of the GPU if several jobs have it. */
  EXCEPTION,
  /** Another error that mostly comes from the application. */
  APPLICATION,
  /** An error of the driver, the firmware or the board that somebody should look at. */
  OTHER;

  /** The GPU has fallen off the bus. */
  public static final int OFF_THE_BUS = 79;

  /** The codes that the catalog has, in ascending order. */
  public List<Integer> codes() {
    return Xid.codes(this);
  }

  /** Returns true if a code is one of {@link #CRITICAL}. */
  public static boolean isCritical(int code) {
    return Xid.of(code).type() == CRITICAL;
  }

  /** The class of a name in {@code xids.tsv}. */
  static Optional<XidClass> find(String name) {
    for (XidClass type : values()) {
      if (type.name().toLowerCase(Locale.ROOT).equals(name)) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }
}

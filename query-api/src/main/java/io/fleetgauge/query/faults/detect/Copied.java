package io.fleetgauge.query.faults.detect;

/**
 * A state that can go on twice from one point. Its {@code copy()} takes all fields from {@link
 * #shallow}, and copies those whose objects change in place.
 */
public abstract class Copied implements Cloneable {
  protected final Object shallow() {
    try {
      return clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(e);
    }
  }
}

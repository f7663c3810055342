package io.fleetgauge.query.derived;

/** Samples are not stored, because they are not wanted any more. */
public final class NotStored extends Exception {
  private static final long serialVersionUID = 1;

  NotStored() {
    super("the samples are not stored");
  }
}

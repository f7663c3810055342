package io.fleetgauge.query.faults.detect;

/** A file of thresholds that cannot be used; the message says where and why. */
public final class InvalidThresholds extends Exception {
  private static final long serialVersionUID = 1;

  InvalidThresholds(String message) {
    super(message);
  }
}

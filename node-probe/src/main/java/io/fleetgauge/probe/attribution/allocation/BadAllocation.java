package io.fleetgauge.probe.attribution.allocation;

/** A problem of an allocation, and what to do about it. */
final class BadAllocation extends Exception {
  private static final long serialVersionUID = 1;

  BadAllocation(String message) {
    super(message);
  }
}

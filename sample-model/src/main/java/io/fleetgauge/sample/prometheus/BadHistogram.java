package io.fleetgauge.sample.prometheus;

import io.fleetgauge.sample.wire.WireException;

/** A message has the form of a native histogram, but its fields contradict each other. */
final class BadHistogram extends WireException {
  private static final long serialVersionUID = 1L;

  BadHistogram(String message) {
    super(message);
  }
}

package io.fleetgauge.gateway.store;

/** A read that would go over its budget; nothing of it is answered. */
public final class TooManySamples extends Exception {
  private static final long serialVersionUID = 1L;

  TooManySamples(long budget) {
    super(
        "query processing would load too many samples into memory in query execution; the limit is "
            + budget);
  }
}

package io.fleetgauge.sample;

/**
 * The marker that ends a series: a NaN of one bit pattern, as Prometheus defines it.
 *
 * <p>It must be compared by its raw bits; {@code ==} and {@code Double.equals} cannot see it, and
 * arithmetic turns it into an ordinary NaN. Because arithmetic can never produce it, the evaluator
 * uses the same pattern for "no sample at this step".
 */
public final class Staleness {
  /** A signalling NaN; ordinary NaN is {@code 0x7ff8000000000000L} or {@code ...01L}. */
  public static final long MARKER_BITS = 0x7ff0000000000002L;

  public static final double MARKER = Double.longBitsToDouble(MARKER_BITS);

  private Staleness() {}

  public static boolean isMarker(double value) {
    return Double.doubleToRawLongBits(value) == MARKER_BITS;
  }
}

package io.fleetgauge.sample.frame;

/**
 * Runs of samples that were derived from others, as results of rules are: they say nothing of how
 * far the samples of their host have come. Their numbers end with 16 zero bits; those of other runs
 * are odd.
 */
public final class DerivedRuns {
  private static final int BITS = 16;

  private DerivedRuns() {}

  /** The number of a run of derived samples, from a random one. */
  public static long number(long random) {
    return (random | 1) << BITS;
  }

  /** The number of another run, from a random one. */
  public static long numberOfOther(long random) {
    return random | 1;
  }

  public static boolean isOne(long run) {
    return (run & (1L << BITS) - 1) == 0;
  }
}

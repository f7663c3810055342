package io.fleetgauge.load.nodes.driver;

/** Numbers that look random and are a function of what they are of. */
public final class Noise {
  private static final double UNIT = 0x1.0p-53;

  private Noise() {}

  /** A number from 0 to 1, without 1. */
  public static double of(long seed, long what, long time) {
    long mixed = mix(mix(seed * 0x9e3779b97f4a7c15L + what) + time);
    return (mixed >>> 11) * UNIT;
  }

  /** A whole number from 0 to {@code bound}, without it. */
  public static int below(int bound, long seed, long what, long time) {
    return (int) (of(seed, what, time) * bound);
  }

  private static long mix(long value) {
    long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
    return mixed ^ mixed >>> 31;
  }
}

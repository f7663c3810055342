package io.fleetgauge.gateway.store.block;

/** Constants of the block format, which the package draws. */
public final class BlockFormat {
  public static final int VERSION = 2;
  public static final int HEADER_BYTES = 5;
  public static final int FOOTER_BYTES = 24;

  /** Flag of a record that has a summary. */
  public static final int SUMMARY = 1;

  /** Minimum, maximum, sum, and what the sum lost to rounding. */
  public static final int SUMMARY_NUMBERS = 4;

  public static final int INTEGER = 0;
  public static final int DOUBLE = 1;

  /** Suffix of a file that is being written. */
  public static final String UNFINISHED = ".unfinished";

  public static final String SUFFIX = ".block";

  private BlockFormat() {}
}

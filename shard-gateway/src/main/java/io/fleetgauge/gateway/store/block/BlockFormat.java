package io.fleetgauge.gateway.store.block;

/** Numbers of the block's format, which the package draws. */
public final class BlockFormat {
  public static final int VERSION = 2;
  public static final int HEADER_BYTES = 5;
  public static final int FOOTER_BYTES = 24;

  /** Flag of a record: it has a summary. */
  public static final int SUMMARY = 1;

  /** Minimum, maximum, sum, and what the sum lost to rounding. */
  public static final int SUMMARY_NUMBERS = 4;

  public static final int INTEGER = 0;
  public static final int DOUBLE = 1;

  /** Behind the name of a file that is not whole yet. */
  public static final String UNFINISHED = ".unfinished";

  public static final String SUFFIX = ".block";

  private BlockFormat() {}
}

package io.fleetgauge.gateway.store.block;

/** Constants of the block format, which the package draws. */
public final class BlockFormat {
  public static final int VERSION = 1;
  public static final int HEADER_BYTES = 5;
  public static final int FOOTER_BYTES = 24;

  /** Suffix of a file that is being written. */
  public static final String UNFINISHED = ".unfinished";

  public static final String SUFFIX = ".block";

  private BlockFormat() {}
}

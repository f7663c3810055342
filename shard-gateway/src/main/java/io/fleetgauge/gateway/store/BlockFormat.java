package io.fleetgauge.gateway.store;

/** Numbers of the block's format, which the package draws. */
final class BlockFormat {
  static final int VERSION = 2;
  static final int HEADER_BYTES = 5;
  static final int FOOTER_BYTES = 24;

  /** Flag of a record: it has a summary. */
  static final int SUMMARY = 1;

  static final int INTEGER = 0;
  static final int DOUBLE = 1;

  /** Behind the name of a file that is not whole yet. */
  static final String UNFINISHED = ".unfinished";

  static final String SUFFIX = ".block";

  private BlockFormat() {}
}

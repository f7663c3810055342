package io.fleetgauge.gateway.store.run;

import io.fleetgauge.sample.wire.WireWriter;

/** What stands before a chunk of a series: which times it has. */
public final class RunFormat {
  private static final int OFFSET = 0x80;

  private RunFormat() {}

  /**
   * @param columns how far the column is from that of the run before
   * @param from the first of the column's times that is the run's
   */
  public static void write(WireWriter out, int columns, int from, int count) {
    out.svar(columns).u8(count - 1 | (from > 0 ? OFFSET : 0));
    if (from > 0) {
      out.u8(from);
    }
  }

  public static int count(int head) {
    return (head & ~OFFSET) + 1;
  }

  public static boolean hasOffset(int head) {
    return (head & OFFSET) != 0;
  }
}

package io.fleetgauge.gateway.store.run;

import io.fleetgauge.sample.wire.WireWriter;

/** The head of a run: which times of which column its samples have. */
public final class RunFormat {
  private static final int OFFSET = 0x80;

  private RunFormat() {}

  /**
   * @param columns distance from the column of the run before
   * @param from index of the run's first time in the column
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

package io.fleetgauge.gateway.store.run;

import io.fleetgauge.gateway.store.chunk.Chunks;

/**
 * The position in the packed runs of a series where the time of the next block begins.
 *
 * @param bytes length of the runs before it
 * @param column the number of the last column before it; the base if there is none
 */
public record RunCut(int bytes, int column) {
  /**
   * @param end where the columns of the time before the cut end, ms
   * @param limit columns from this number on are after the cut, whatever their times are
   */
  public static RunCut at(PackedRuns packed, ColumnList columns, long end, int limit) {
    byte[] bytes = packed.bytes();
    Chunks chunks = new Chunks().at(0);
    int column = packed.base();
    int number = column;
    while (chunks.position() < packed.length()) {
      int at = chunks.position();
      number += (int) chunks.svar(bytes);
      int head = chunks.u8(bytes);
      if (number >= limit || columns.get(number).end > end) {
        return new RunCut(at, column);
      }
      column = number;
      if (RunFormat.hasOffset(head)) {
        chunks.u8(bytes);
      }
      chunks.skip(bytes, RunFormat.count(head));
    }
    return new RunCut(packed.length(), column);
  }
}

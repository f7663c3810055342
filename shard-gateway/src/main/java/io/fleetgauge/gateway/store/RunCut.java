package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.chunk.Chunks;

/**
 * Where the packed runs of a series pass from one block's time to the next.
 *
 * @param bytes how many bytes of runs are before that time
 * @param column the number of the last column before it; the base when there is none
 */
record RunCut(int bytes, int column) {
  /**
   * @param end where the columns of the time before the cut end, ms
   * @param limit columns from this number on belong behind the cut all the same
   */
  static RunCut at(StoredSeries.State state, long end, int limit) {
    byte[] bytes = state.packed.bytes();
    Chunks chunks = new Chunks().at(0);
    int column = state.packed.base();
    int number = column;
    while (chunks.position() < state.packed.length()) {
      int at = chunks.position();
      number += (int) chunks.svar(bytes);
      int head = chunks.u8(bytes);
      if (number >= limit || state.columns.get(number).end > end) {
        return new RunCut(at, column);
      }
      column = number;
      if (RunFormat.hasOffset(head)) {
        chunks.u8(bytes);
      }
      chunks.skip(bytes, RunFormat.count(head));
    }
    return new RunCut(state.packed.length(), column);
  }
}

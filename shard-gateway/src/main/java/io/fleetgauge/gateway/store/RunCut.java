package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.chunk.Chunks;

/**
 * Where the packed runs of a series pass from one block's time to the next.
 *
 * @param bytes how many bytes of runs are before that time
 * @param column the number of the last column before it; the base when there is none
 */
record RunCut(int bytes, int column) {
  static RunCut at(StoredSeries.State state, long time) {
    Chunks chunks = new Chunks().at(0);
    int column = state.base;
    int number = state.base;
    while (chunks.position() < state.packedLength) {
      int at = chunks.position();
      number += (int) chunks.svar(state.packed);
      int head = chunks.u8(state.packed);
      if (state.columns.get(number).end > time) {
        return new RunCut(at, column);
      }
      column = number;
      if (RunFormat.hasOffset(head)) {
        chunks.u8(state.packed);
      }
      chunks.skip(state.packed, RunFormat.count(head));
    }
    return new RunCut(state.packedLength, column);
  }
}

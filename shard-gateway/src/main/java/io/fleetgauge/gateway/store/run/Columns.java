package io.fleetgauge.gateway.store.run;

import io.fleetgauge.gateway.store.chunk.Chunks;

/** Times by the number of their column. */
public interface Columns {
  /** The lowest number. */
  int base();

  /** The times of a column; more places than are used. Not to be written to. */
  long[] times(int number, Chunks chunks);
}

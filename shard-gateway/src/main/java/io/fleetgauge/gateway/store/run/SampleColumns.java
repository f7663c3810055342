package io.fleetgauge.gateway.store.run;

import io.fleetgauge.gateway.store.chunk.Chunks;

/** Times by the number of their column. */
public interface SampleColumns {
  /** The lowest number. */
  int base();

  /** The times of a column, in an array that may be longer. The caller must not write to it. */
  long[] times(int number, Chunks chunks);
}

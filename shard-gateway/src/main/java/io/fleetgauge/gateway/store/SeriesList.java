package io.fleetgauge.gateway.store;

import java.util.Arrays;

/** Series in the order of their arrival. One writer adds; anyone iterates over a snapshot. */
final class SeriesList {
  private volatile StoredSeries[] series = new StoredSeries[8];
  private volatile int size;

  void add(StoredSeries added) {
    StoredSeries[] now = series;
    if (size == now.length) {
      now = Arrays.copyOf(now, 2 * size);
      series = now;
    }
    now[size] = added;
    size = size + 1;
  }

  int size() {
    return size;
  }

  /** What was there when it was asked for. */
  StoredSeries[] snapshot() {
    int count = size; // read before the array: a later array holds at least as many
    return Arrays.copyOf(series, count);
  }
}

package io.fleetgauge.probe.faults;

import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * High-rate readings of some minutes. A value that was not read is NaN.
 *
 * @param first time of the first row, ms since the epoch
 * @param step time between two rows, ms
 * @param rows how many there are; 0 for none
 * @param series with their metric
 * @param values for each of {@code series} one of each row
 */
public record Window(long first, long step, int rows, List<Labels> series, float[][] values) {
  /** The rows from one time to another, both included, of the series that are wanted. */
  public Window select(long from, long to, Predicate<Labels> wanted) {
    long earliest = Math.clamp(from, first, time(rows));
    long latest = Math.clamp(to, first - step, time(rows));
    int begin = Math.clamp(Math.ceilDiv(earliest - first, step), 0, rows);
    int end = Math.clamp(Math.floorDiv(latest - first, step) + 1, begin, rows);
    List<Labels> selected = new ArrayList<>();
    List<float[]> theirs = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      if (wanted.test(series.get(i))) {
        selected.add(series.get(i));
        theirs.add(Arrays.copyOfRange(values[i], begin, end));
      }
    }
    return new Window(
        time(begin), step, end - begin, List.copyOf(selected), theirs.toArray(float[][]::new));
  }

  /** The time of a row, ms since the epoch. */
  public long time(int row) {
    return first + row * step;
  }
}

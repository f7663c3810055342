package io.fleetgauge.probe.faults;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The last readings at a regular step: an array for each series, which goes round. One thread
 * writes; any thread may read.
 */
final class Ring {
  /** Series of 64 GPUs and of the host. */
  static final int MOST_SERIES = 520;

  private static final class Column {
    final float[] values;
    long last;

    Column(int rows) {
      values = new float[rows];
      Arrays.fill(values, Float.NaN);
    }
  }

  private final int rows;
  private final long step;
  private final Map<Labels, Column> columns = new LinkedHashMap<>();
  private boolean isEmpty = true;

  /** Times of the oldest and of the newest row, ms. */
  private long oldest;

  private long newest;
  private long leftOut;

  /**
   * @param step time between two rows, ms
   */
  Ring(int rows, long step) {
    this.rows = rows;
    this.step = step;
  }

  /**
   * Adds a row as a whole.
   *
   * @param row its time is a multiple of the step; NaN is no value
   */
  synchronized void add(Tick row) {
    begin(row.time());
    for (int i = 0; i < row.size(); i++) {
      put(row.series().get(i), row.values()[i]);
    }
  }

  /**
   * Begins a row. Rows between it and the one before are gaps; when the clock was set back, rows
   * after this one are forgotten.
   *
   * @param time a multiple of the step, ms since the epoch
   */
  synchronized void begin(long time) {
    long length = rows * step;
    if (isEmpty || Math.abs(time - newest) >= length) {
      isEmpty = false;
      oldest = time;
      columns.clear();
    } else {
      boolean isBack = time <= newest;
      clear(isBack ? time : newest + step, isBack ? newest : time);
      oldest = Math.max(Math.min(oldest, time), time - length + step);
    }
    newest = time;
    columns.values().removeIf(column -> column.last < oldest || column.last > time);
  }

  private void clear(long from, long to) {
    for (Column column : columns.values()) {
      for (long time = from; time <= to; time += step) {
        column.values[place(time)] = Float.NaN;
      }
      column.last = column.last >= from ? Math.max(oldest, from - step) : column.last;
    }
  }

  /** Sets a value of the row that was begun last; NaN is none. */
  synchronized void put(Labels series, double value) {
    if (Double.isNaN(value)) {
      return;
    }
    Column column = columns.get(series);
    if (column == null) {
      if (columns.size() == MOST_SERIES) {
        leftOut++;
        return;
      }
      column = new Column(rows);
      columns.put(series, column);
    }
    column.values[place(newest)] = (float) value;
    column.last = newest;
  }

  /** The rows from one time to another, both included. */
  synchronized Window window(long from, long to) {
    List<Labels> series = List.copyOf(columns.keySet());
    long first = Math.max(oldest, Math.ceilDiv(from, step) * step);
    long last = Math.min(newest, Math.floorDiv(to, step) * step);
    int count = isEmpty || last < first ? 0 : (int) ((last - first) / step) + 1;
    float[][] values = new float[series.size()][count];
    for (int i = 0; i < values.length; i++) {
      float[] source = columns.get(series.get(i)).values;
      for (int row = 0; row < count; row++) {
        values[i][row] = source[place(first + row * step)];
      }
    }
    return new Window(first, step, count, series, values);
  }

  private int place(long time) {
    return (int) Math.floorMod(time / step, (long) rows);
  }

  /** Values that were left out because there are too many series. */
  synchronized long leftOut() {
    return leftOut;
  }

  /** Bytes of the values. */
  synchronized long bytes() {
    return 4L * rows * columns.size();
  }
}

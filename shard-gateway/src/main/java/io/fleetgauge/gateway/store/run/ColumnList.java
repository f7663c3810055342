package io.fleetgauge.gateway.store.run;

import io.fleetgauge.gateway.store.chunk.Chunks;
import java.util.Arrays;

/**
 * The columns of a host's samples in memory, by number. The lane's writer adds columns. A column
 * that was added stays in the list, so a reader may look up every number in a series' state.
 */
public final class ColumnList implements SampleColumns {
  /** A column this far behind the newest one is packed: readers rarely need it any more. */
  private static final int PACKED_BEHIND = 4;

  private final int base;
  private volatile TimeColumn[] columns;
  private int size;

  public ColumnList(int base, TimeColumn[] columns) {
    this.base = base;
    this.columns = columns;
    this.size = columns.length;
  }

  public static ColumnList empty() {
    return new ColumnList(0, new TimeColumn[0]);
  }

  public int add(TimeColumn column, Chunks chunks) {
    TimeColumn[] now = columns;
    if (size >= PACKED_BEHIND) {
      now[size - PACKED_BEHIND].pack(chunks);
    }
    if (size == now.length) {
      now = Arrays.copyOf(now, Math.max(8, size + (size >> 1)));
    }
    now[size++] = column;
    columns = now;
    return base + size - 1;
  }

  @Override
  public int base() {
    return base;
  }

  /** One above the highest number. Writer only. */
  public int end() {
    return base + size;
  }

  public TimeColumn get(int number) {
    return columns[number - base];
  }

  /** The list without the columns below {@code from}. Writer only. */
  public ColumnList from(int from) {
    return new ColumnList(from, Arrays.copyOfRange(columns, from - base, size));
  }

  @Override
  public long[] times(int number, Chunks chunks) {
    return get(number).times(chunks);
  }
}

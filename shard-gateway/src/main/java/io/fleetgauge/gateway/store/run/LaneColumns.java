package io.fleetgauge.gateway.store.run;

import io.fleetgauge.gateway.store.chunk.Chunks;
import io.fleetgauge.sample.wire.WireWriter;

/**
 * The columns of a host's samples in memory, and the pages that series open in them. Writer only.
 */
public final class LaneColumns implements Page.Maker {
  private static final Page NO_PAGE = new Page(null, 0, 0);

  private final long blockMillis;
  private final Chunks chunks = new Chunks();
  private final WireWriter scratch = new WireWriter(2048);
  private ColumnList columns = ColumnList.empty();
  private Page newestPage = NO_PAGE;
  private TimeColumn divergedFrom;
  private int divergedCount;
  private int divergedAt;
  private Page diverged;

  /**
   * @param blockMillis length of a block; a column belongs to one block
   */
  public LaneColumns(long blockMillis) {
    this.blockMillis = blockMillis;
  }

  /** The columns there are now; replaced when the oldest leave memory. */
  public ColumnList list() {
    return columns;
  }

  public void replace(ColumnList left) {
    columns = left;
  }

  /** The start of the block that a time belongs to, ms. */
  public long blockStart(long time) {
    return Math.floorDiv(time, blockMillis) * blockMillis;
  }

  @Override
  public Page page(TimeColumn before, int number, long time) {
    if (newestPage.column() != null && newestPage.column().last() == time) {
      return new Page(newestPage.column(), newestPage.number(), newestPage.column().size() - 1);
    }
    if (before != null && before.takes(time)) {
      if (before.last() < time) {
        before.append(time);
      }
      if (before.last() == time) {
        return new Page(before, number, before.size() - 1);
      }
    }
    TimeColumn column = new TimeColumn(time, blockStart(time) + blockMillis);
    newestPage = new Page(column, columns.add(column, chunks), 0);
    return newestPage;
  }

  @Override
  public Page diverge(TimeColumn column, int from, int count, long time) {
    if (diverged == null
        || divergedFrom != column
        || divergedAt != from
        || divergedCount != count
        || diverged.column().last() != time
        || diverged.column().size() != count + 1) {
      TimeColumn copy = column.copy(from, count, chunks);
      copy.append(time);
      diverged = new Page(copy, columns.add(copy, chunks), 0);
      divergedFrom = column;
      divergedAt = from;
      divergedCount = count;
    }
    return diverged;
  }

  @Override
  public Chunks chunks() {
    return chunks;
  }

  @Override
  public WireWriter scratch() {
    return scratch;
  }

  /** New pages do not continue in existing columns, because those are about to leave memory. */
  public void closePages() {
    newestPage = NO_PAGE;
    diverged = null;
  }

  /** Start of the oldest block's time in memory after a time, ms; the maximum if there is none. */
  public long oldestBlockStart(long sealedBefore) {
    long oldest = Long.MAX_VALUE;
    for (int number = columns.base(); number < columns.end(); number++) {
      long end = columns.get(number).end;
      // A column of a finished block may be behind a column of a later time.
      if (end > sealedBefore) {
        oldest = Math.min(oldest, end - blockMillis);
      }
    }
    return oldest;
  }

  public long bytes() {
    long bytes = 0;
    for (int number = columns.base(); number < columns.end(); number++) {
      bytes += columns.get(number).bytes();
    }
    return bytes;
  }
}

package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.block.BlockCounts;
import io.fleetgauge.gateway.store.block.BlockFolder;
import io.fleetgauge.gateway.store.block.BlockWriter;
import io.fleetgauge.gateway.store.block.DamagedBlock;
import io.fleetgauge.gateway.store.run.ColumnList;
import io.fleetgauge.gateway.store.series.StoredSeries;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Samples of some time that are about to leave memory for a block. What they are is fixed when the
 * sealing begins, so the block is written on another thread while the lane's writer goes on.
 */
public final class Sealing {
  private final Lane lane;
  private final LaneRollups rollups;
  private final BlockCounts counts;
  private final Span span;
  private final ColumnList columns;
  private final int limit;
  private final List<StoredSeries> series;
  private final List<StoredSeries.State> states;

  /**
   * The time of a block, ms.
   *
   * @param from the first time that belongs to it
   * @param to the first time after it
   * @param end where the columns of this time end; after {@code to} if the host sent less
   * @param expired whether no block is written, because its samples have expired
   */
  record Span(long from, long to, long end, boolean expired) {}

  /** A block that has been written; null if there was nothing to write. */
  public record SealedBlock(Sealing sealing, Block.OpenedBlock opened) {}

  Sealing(
      Lane lane,
      LaneRollups rollups,
      BlockCounts counts,
      Span span,
      ColumnList columns,
      List<StoredSeries> series) {
    this.lane = lane;
    this.rollups = rollups;
    this.counts = counts;
    this.span = span;
    this.columns = columns;
    this.limit = columns.end();
    this.series = series.stream().sorted(Comparator.comparing(each -> each.identity)).toList();
    this.states = this.series.stream().map(StoredSeries::state).toList();
  }

  /** The lane of the samples. */
  public Lane lane() {
    return lane;
  }

  Span span() {
    return span;
  }

  /** Columns from this number on belong to later samples. */
  int limit() {
    return limit;
  }

  /**
   * Writes the block. Not for the writer's thread, because the disk may be slow.
   *
   * @throws IOException if the disk refuses it; it may be tried again
   */
  public SealedBlock write(Path folder) throws IOException {
    if (span.expired) {
      return new SealedBlock(this, null);
    }
    BlockWriter writer = new BlockWriter(lane.host(), span.from, span.to, span.end, limit);
    writer.columns(columns);
    for (int i = 0; i < series.size(); i++) {
      StoredSeries.State state = states.get(i);
      writer.series(
          series.get(i).identity, series.get(i).timeline, state.packed, state.columns, state.late);
    }
    if (writer.isEmpty()) {
      return new SealedBlock(this, null);
    }
    Map<String, Integer> metrics = new HashMap<>();
    series.forEach(each -> metrics.merge(each.identity.metric(), 1, Integer::sum));
    rollups.write(writer, metrics, span.from, span.to);
    Path file = folder.resolve(BlockFolder.name(span.from, span.to));
    writer.write(file);
    try {
      return new SealedBlock(this, Block.open(file, counts));
    } catch (DamagedBlock e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}

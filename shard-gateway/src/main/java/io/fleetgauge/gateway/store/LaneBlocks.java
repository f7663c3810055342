package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.block.BlockCounts;
import io.fleetgauge.gateway.store.block.BlockParts;
import io.fleetgauge.gateway.store.block.DamagedBlock;
import io.fleetgauge.gateway.store.read.HostView;
import io.fleetgauge.gateway.store.run.ColumnList;
import io.fleetgauge.gateway.store.run.LaneColumns;
import io.fleetgauge.gateway.store.run.LateSamples;
import io.fleetgauge.gateway.store.run.RunCut;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The blocks of a lane, and how samples get from memory into them. The writer changes it; any
 * thread reads {@link #list} and {@link #sealedBefore}.
 */
final class LaneBlocks {
  private static final long NEVER = HostView.NEVER;

  private final HostView view;
  private final LaneColumns columns;
  private final LaneSeries series;
  private final LaneRollups rollups;
  private final BlockCounts counts;
  private final long blockMillis;

  /** Samples before this time are refused, because a block has been or is being made of them. */
  private long refusedBefore = NEVER;

  private volatile List<Block> blocks = List.of();
  private volatile long sealedBefore = NEVER;

  LaneBlocks(
      HostView view,
      LaneColumns columns,
      LaneSeries series,
      LaneRollups rollups,
      BlockCounts counts,
      long blockMillis) {
    this.view = view;
    this.columns = columns;
    this.series = series;
    this.rollups = rollups;
    this.counts = counts;
    this.blockMillis = blockMillis;
  }

  List<Block> list() {
    return blocks;
  }

  /** All samples before this time are in blocks or have expired, ms. */
  long sealedBefore() {
    return sealedBefore;
  }

  /** Samples before this time are not accepted any more, ms. Writer only. */
  long refusedBefore() {
    return refusedBefore;
  }

  /** See {@link Lane#beginSealing}. */
  Optional<Sealing> begin(Lane lane, long now, long expired) {
    long start = oldestInMemory();
    if (start == Long.MAX_VALUE || start + 2 * blockMillis > now) {
      return Optional.empty();
    }
    long end = start + blockMillis;
    // A host that was cut off continues where it stopped: the rest of this time stays open.
    long to = Math.min(end, view.newest() + 1);
    long from = Math.max(start, sealedBefore);
    refusedBefore = Math.max(refusedBefore, to);
    series
        .all()
        .filter(each -> each.state().column != null && each.state().column.end <= end)
        .forEach(each -> each.seal(columns));
    // Samples that arrive meanwhile must not go into columns that are about to leave.
    columns.closePages();
    return Optional.of(
        new Sealing(
            lane,
            rollups,
            counts,
            new Sealing.Span(from, to, end, to <= expired),
            columns.list(),
            series.all().toList()));
  }

  /** Reads the directory of a block. */
  @FunctionalInterface
  interface Opener {
    Block.OpenedBlock open(Path file) throws IOException, DamagedBlock;
  }

  /** The owners that each series has by all blocks, of which one is new. */
  private Map<Labels, List<Block.Interval>> intervals(Block.OpenedBlock opened, Opener opener)
      throws IOException, DamagedBlock {
    List<Block.OpenedBlock> all = new ArrayList<>(List.of(opened));
    for (Block other : blocks) {
      if (other.from() != opened.block().from()) {
        all.add(opener.open(other.file()));
      }
    }
    all.sort(Comparator.comparingLong(each -> each.block().from()));
    Map<Labels, List<Block.Interval>> intervals = new HashMap<>();
    for (Block.OpenedBlock each : all) {
      for (Block.Entry entry : each.series()) {
        intervals
            .computeIfAbsent(entry.identity(), none -> new ArrayList<>())
            .addAll(entry.intervals());
      }
    }
    return intervals;
  }

  private long oldestInMemory() {
    long oldest = columns.oldestBlockStart(sealedBefore);
    for (StoredSeries each : (Iterable<StoredSeries>) series.all()::iterator) {
      LateSamples late = each.state().late;
      if (late != null) {
        oldest = Math.min(oldest, columns.blockStart(late.times[0]));
      }
    }
    return oldest;
  }

  /** Replaces samples in memory by the block that was made of them. */
  void finish(Sealing.SealedBlock written) {
    Sealing.Span done = written.sealing().span();
    Map<StoredSeries, Integer> places = places(written.opened());
    ColumnList all = columns.list();
    int first = all.base();
    while (first < written.sealing().limit() && all.get(first).end <= done.end()) {
      first++;
    }
    ColumnList left = all.from(first);
    for (StoredSeries each : (Iterable<StoredSeries>) series.all()::iterator) {
      StoredSeries.State now = each.state();
      RunCut cut = RunCut.at(now.packed, now.columns, done.end(), written.sealing().limit());
      Integer place = places.get(each);
      BlockParts parts =
          place == null ? now.sealed : now.sealed.with(written.opened().block(), place);
      LateSamples late = now.late == null ? null : now.late.from(done.to());
      each.become(now.with(parts, left, now.packed.from(cut), late));
    }
    columns.replace(left);
    if (written.opened() != null) {
      List<Block> more = new ArrayList<>(blocks);
      more.add(written.opened().block());
      blocks = List.copyOf(more);
      counts.written.increment();
    }
    sealedBefore = Math.max(sealedBefore, done.to());
    series.forgetEmpty();
  }

  private Map<StoredSeries, Integer> places(Block.OpenedBlock opened) {
    Map<StoredSeries, Integer> places = new IdentityHashMap<>();
    if (opened != null) {
      for (int i = 0; i < opened.series().size(); i++) {
        places.put(series.of(opened.series().get(i)), i);
      }
    }
    return places;
  }

  /**
   * Takes in the series and owners of blocks from before the start.
   *
   * @param all in order of time
   * @return time of the newest sample in them, ms
   */
  long restore(List<Block.OpenedBlock> all, OwnerChanges owners) {
    for (Block.OpenedBlock opened : all) {
      for (int place = 0; place < opened.series().size(); place++) {
        Block.Entry entry = opened.series().get(place);
        StoredSeries restored = series.restore(entry);
        if (!entry.intervals().isEmpty()) {
          owners.restore(restored, entry.intervals());
        }
        StoredSeries.State now = restored.state();
        restored.become(now.withSealed(now.sealed.with(opened.block(), place)));
      }
      refusedBefore = Math.max(refusedBefore, opened.block().to());
    }
    return restoreNewest();
  }

  private long restoreNewest() {
    SampleReader reader = new SampleReader();
    long latest = NEVER;
    for (StoredSeries each : (Iterable<StoredSeries>) series.all()::iterator) {
      latest = Math.max(latest, restoreNewest(each, reader));
    }
    return latest;
  }

  /** Takes the newest sample of a series from its last block. */
  private long restoreNewest(StoredSeries each, SampleReader reader) {
    BlockParts parts = each.state().sealed;
    reader.clear();
    Block block = parts.block(parts.size() - 1);
    block.read(parts.place(parts.size() - 1), block.from() - 1, block.to(), reader);
    if (reader.size() == 0) {
      return NEVER;
    }
    int at = reader.size() - 1;
    long time = reader.times()[at];
    Histogram histogram = reader.histograms() == null ? null : reader.histograms()[at];
    each.restore(time, reader.values()[at], histogram);
    view.last().set(each.place, time, reader.values()[at], histogram);
    return time;
  }

  /**
   * Puts a block in the place of the one of the same time, if there is one.
   *
   * @param opener reads the other blocks
   * @return the newest time of the series that have no newer samples than the block's, ms
   * @throws IOException if another block cannot be read; nothing has changed
   * @throws DamagedBlock if another block is damaged by now; nothing has changed
   */
  long replace(Block.OpenedBlock opened, OwnerChanges owners, Opener opener)
      throws IOException, DamagedBlock {
    Block block = opened.block();
    Map<Labels, List<Block.Interval>> intervals = intervals(opened, opener);
    List<Block> all = new ArrayList<>(blocks);
    for (Block damaged : blocks) {
      if (damaged.from() == block.from() && damaged.to() == block.to()) {
        all.remove(damaged);
        for (StoredSeries each : (Iterable<StoredSeries>) series.all()::iterator) {
          StoredSeries.State now = each.state();
          BlockParts parts = now.sealed.without(damaged);
          if (parts != now.sealed) {
            each.become(now.withSealed(parts));
          }
        }
      }
    }
    SampleReader reader = new SampleReader();
    long newest = NEVER;
    for (int place = 0; place < opened.series().size(); place++) {
      Block.Entry entry = opened.series().get(place);
      StoredSeries restored = series.restore(entry);
      if (!entry.intervals().isEmpty()) {
        owners.rebuild(restored, intervals.get(entry.identity()), block.from(), block.to());
      }
      StoredSeries.State now = restored.state();
      restored.become(now.withSealed(now.sealed.with(block, place)));
      if (restored.newest() == NEVER || restored.newest() < block.to()) {
        newest = Math.max(newest, restoreNewest(restored, reader));
      }
    }
    all.add(block);
    all.sort(Comparator.comparingLong(Block::from));
    blocks = List.copyOf(all);
    return newest;
  }

  /** A block was taken in that ends here, and nothing before its end is in memory. */
  void adopted(long to) {
    refusedBefore = Math.max(refusedBefore, to);
    sealedBefore = Math.max(sealedBefore, to);
  }

  /** All samples in memory, which belong to one block, to be written as a block of a time. */
  Sealing sealAll(Lane lane, long from, long to) {
    series.all().filter(each -> each.state().column != null).forEach(each -> each.seal(columns));
    columns.closePages();
    return new Sealing(
        lane,
        rollups,
        counts,
        new Sealing.Span(from, to, blockMillis, false),
        columns.list(),
        series.all().toList());
  }

  /** Publishes the blocks that were restored. */
  void publish(List<Block.OpenedBlock> all) {
    blocks = all.stream().map(Block.OpenedBlock::block).toList();
  }

  /** Nothing before the end of the last block that was restored is in memory. */
  void restored() {
    sealedBefore = refusedBefore;
  }

  /**
   * Removes blocks that end at or before a time, ms.
   *
   * @return the blocks removed
   */
  List<Block> drop(long before) {
    List<Block> dropped = blocks.stream().filter(block -> block.to() <= before).toList();
    if (dropped.isEmpty()) {
      return dropped;
    }
    for (StoredSeries each : (Iterable<StoredSeries>) series.all()::iterator) {
      StoredSeries.State now = each.state();
      BlockParts parts = now.sealed;
      for (Block block : dropped) {
        parts = parts.without(block);
      }
      if (parts != now.sealed) {
        each.become(now.withSealed(parts));
      }
      if (each.timeline != null) {
        each.timeline.forgetBefore(before);
      }
    }
    blocks = blocks.stream().filter(block -> block.to() > before).toList();
    return dropped;
  }
}

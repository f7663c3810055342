package io.fleetgauge.gateway.store.block;

import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.store.chunk.Chunks;
import io.fleetgauge.gateway.store.chunk.Pieces;
import io.fleetgauge.gateway.store.owner.Timeline;
import io.fleetgauge.gateway.store.run.ColumnList;
import io.fleetgauge.gateway.store.run.LateSamples;
import io.fleetgauge.gateway.store.run.PackedRuns;
import io.fleetgauge.gateway.store.run.RecordTimes;
import io.fleetgauge.gateway.store.run.RunCut;
import io.fleetgauge.gateway.store.run.RunFormat;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.run.TimeColumn;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import java.util.zip.Deflater;

/** Writes a block file, as the package draws it. One use. */
public final class BlockWriter {
  /** A rollup takes at most one of so many parts of the bytes of its samples. */
  private static final int ROLLUP_SHARE = 4;

  private final String host;
  private final long from;
  private final long to;
  private final long end;
  private final int limit;
  private final Chunks chunks = new Chunks();
  private final SampleReader reader = new SampleReader();
  private final WireWriter columns = new WireWriter();
  private final Map<List<Long>, Integer> ownColumns = new HashMap<>();
  private int columnCount;
  private int firstColumn;
  private final List<String> symbols = new ArrayList<>();
  private final Map<String, Integer> symbolIds = new HashMap<>();
  private final WireWriter series = new WireWriter();
  private final WireWriter timelines = new WireWriter();
  private final Map<Timeline, Integer> timelineIds = new IdentityHashMap<>();
  private final WireWriter data = new WireWriter(1 << 16);
  private int seriesCount;
  private final Pieces pieces = new Pieces();

  /** Numbers of lists of times by their bytes. */
  private final Map<ByteBuffer, Integer> timeIds = new HashMap<>();

  private final WireWriter times = new WireWriter();
  private final WireWriter rollups = new WireWriter();

  /** Bytes of the records of each metric. */
  private final Map<String, Integer> recordBytes = new HashMap<>();

  private int rollupCount;

  /**
   * @param from the first time of the block, ms
   * @param to the first time after it, ms
   * @param end where the columns of this time end, ms
   * @param limit columns from this number on belong to later blocks, whatever their times are
   */
  public BlockWriter(String host, long from, long to, long end, int limit) {
    this.end = end;
    this.limit = limit;
    this.host = host;
    this.from = from;
    this.to = to;
    data.u8('F').u8('G').u8('B').u8('K').u8(BlockFormat.VERSION);
  }

  /** Adds the columns that samples of this time refer to. To be called first. */
  public void columns(ColumnList all) {
    int last = all.base();
    firstColumn = all.base();
    for (int number = all.base(); number < limit; number++) {
      if (all.get(number).end == end) {
        last = number + 1;
      }
    }
    for (int number = firstColumn; number < last; number++) {
      TimeColumn column = all.get(number);
      if (column.end == end) {
        column.write(chunks, columns);
      } else {
        columns.u8(0);
      }
      columnCount++;
    }
  }

  /**
   * Adds the samples that a series has in this time, if there are any.
   *
   * @param owners null when the series has no dimensions
   * @param packed its runs; nothing of this time is in an open page
   * @param known the columns that the runs refer to
   * @param lateSamples null when there are none
   */
  public void series(
      Labels identity,
      Timeline owners,
      PackedRuns packed,
      ColumnList known,
      LateSamples lateSamples) {
    reader.clear();
    reader.readRuns(packed.bytes(), 0, packed.length(), packed.base(), known, from - 1, to - 1);
    if (lateSamples != null) {
      reader.merge(lateSamples, from - 1, to - 1);
    }
    if (reader.size() == 0) {
      return;
    }
    boolean late = lateSamples != null && lateSamples.indexOf(from) != lateSamples.indexOf(to);
    WireWriter heads = new WireWriter();
    if (late) {
      ownColumns(heads);
    } else {
      RunCut cut = RunCut.at(packed, known, end, limit);
      int size = RecordTimes.write(packed, cut, firstColumn, heads);
      if (size != reader.size()) {
        throw new IllegalStateException(
            "the runs of " + identity + " have " + size + " samples, not " + reader.size());
      }
    }
    int recordAt = data.size();
    data.u32(0);
    data.uvar(times(heads));
    pieces.encode(reader.values(), reader.histograms(), reader.size(), data);
    CRC32C check = new CRC32C();
    check.update(data.array(), recordAt + 4, data.size() - recordAt - 4);
    data.setU32(recordAt, (int) check.getValue());
    labels(series, identity);
    series.uvar(owners == null ? 0 : timeline(owners));
    series.uvar(data.size() - recordAt);
    recordBytes.merge(identity.metric(), data.size() - recordAt, Integer::sum);
    seriesCount++;
  }

  /** The number of a list of times; records with the same times share it. */
  private int times(WireWriter heads) {
    byte[] bytes = heads.toBytes();
    int id = timeIds.size();
    Integer known = timeIds.putIfAbsent(ByteBuffer.wrap(bytes), id);
    if (known != null) {
      return known;
    }
    times.uvar(bytes.length).raw(bytes, 0, bytes.length);
    return id;
  }

  private void ownColumns(WireWriter heads) {
    int before = 0;
    for (int at = 0; at < reader.size(); at += TimeColumn.CAPACITY) {
      int count = Math.min(TimeColumn.CAPACITY, reader.size() - at);
      int column = ownColumn(at, count);
      RunFormat.write(heads, column - before, 0, count);
      before = column;
    }
  }

  /** Series with the same late samples share columns. */
  private int ownColumn(int at, int count) {
    List<Long> times = Arrays.stream(reader.times(), at, at + count).boxed().toList();
    return ownColumns.computeIfAbsent(
        times,
        none -> {
          columns.u8(count);
          chunks.encodeTimes(reader.times(), at, count, columns);
          return columnCount++;
        });
  }

  private int timeline(Timeline newest) {
    Integer known = timelineIds.get(newest);
    if (known != null) {
      return known;
    }
    List<Timeline> intervals = new ArrayList<>();
    for (Timeline each = newest; each != null; each = each.before()) {
      if (each.from < to) {
        intervals.addFirst(each);
        if (each.from <= from) {
          break;
        }
      }
    }
    timelines.uvar(intervals.size());
    for (Timeline each : intervals) {
      boolean always = each.from == Timeline.ALWAYS;
      timelines.svar(always ? from : each.from);
      labels(timelines, each.owner);
      boolean ended = each.endedBefore != Timeline.NOT_ENDED;
      timelines.u8(ended ? 1 : 0);
      if (ended) {
        timelines.svar(each.endedBefore);
      }
    }
    int id = timelineIds.size() + 1;
    timelineIds.put(newest, id);
    return id;
  }

  private void labels(WireWriter out, Labels labels) {
    out.uvar(labels.size());
    for (int i = 0; i < labels.size(); i++) {
      out.uvar(symbol(labels.name(i))).uvar(symbol(labels.value(i)));
    }
  }

  private int symbol(String string) {
    Integer known = symbolIds.putIfAbsent(string, symbols.size());
    if (known == null) {
      symbols.add(string);
      return symbols.size() - 1;
    }
    return known;
  }

  /**
   * Adds a rollup, unless it takes more than a quarter of the bytes of the samples that it is made
   * of: those are read instead. To be called after all series.
   *
   * @param page as {@link io.fleetgauge.gateway.rollup.RollupForm} writes it
   */
  public void rollup(RollupKey key, byte[] page) {
    if (page.length > recordBytes.getOrDefault(key.source(), 0) / ROLLUP_SHARE) {
      return;
    }
    CRC32C check = new CRC32C();
    check.update(page);
    data.u32((int) check.getValue()).raw(page, 0, page.length);
    rollups.uvar(symbol(key.metric())).u8(key.kind().ordinal()).uvar(key.window());
    rollups.uvar(page.length + 4);
    rollupCount++;
  }

  public boolean isEmpty() {
    return seriesCount == 0;
  }

  /**
   * Writes the file, as {@link BlockFolder#put} does.
   *
   * @throws IOException if it cannot be written; nothing is left of it then
   */
  public void write(Path file) throws IOException {
    WireWriter directory = new WireWriter(1 << 14);
    directory.string(host).svar(from).svar(to).uvar(symbols.size());
    symbols.forEach(directory::string);
    directory.uvar(timelineIds.size()).raw(timelines.array(), 0, timelines.size());
    directory.uvar(seriesCount).raw(series.array(), 0, series.size());
    directory.uvar(rollupCount).raw(rollups.array(), 0, rollups.size());
    directory.uvar(timeIds.size()).raw(times.array(), 0, times.size());
    directory.uvar(columnCount).raw(columns.array(), 0, columns.size());
    int directoryAt = data.size();
    byte[] deflated = deflate(directory);
    data.raw(deflated, 0, deflated.length);
    WireWriter footer = new WireWriter();
    footer.u64(directoryAt).u32(deflated.length).u32(directory.size());
    CRC32C check = new CRC32C();
    check.update(deflated);
    check.update(footer.array(), 0, footer.size());
    footer.u32((int) check.getValue()).u8('F').u8('G').u8('B').u8('E');
    data.raw(footer.array(), 0, footer.size());
    BlockFolder.put(file, ByteBuffer.wrap(data.array(), 0, data.size()));
  }

  private static byte[] deflate(WireWriter raw) {
    try (Deflater deflater = new Deflater(Deflater.BEST_SPEED, true)) {
      deflater.setInput(raw.array(), 0, raw.size());
      deflater.finish();
      byte[] out = new byte[raw.size() + 64];
      int length = 0;
      while (!deflater.finished()) {
        if (length == out.length) {
          out = Arrays.copyOf(out, 2 * length);
        }
        length += deflater.deflate(out, length, out.length - length);
      }
      return Arrays.copyOf(out, length);
    }
  }
}

package io.fleetgauge.gateway.store.block;

import io.fleetgauge.gateway.rollup.RollupForm;
import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.store.chunk.Bits;
import io.fleetgauge.gateway.store.chunk.Chunks;
import io.fleetgauge.gateway.store.owner.Timeline;
import io.fleetgauge.gateway.store.run.RecordTimes;
import io.fleetgauge.gateway.store.run.SampleColumns;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.run.TimeColumn;
import io.fleetgauge.promql.plan.RollupShape;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.files.PrivateFiles;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A mapped block file. Samples are decoded when they are needed; the file is unmapped when the
 * block is not referenced any more. Safe for all threads.
 */
public final class Block implements SampleColumns {
  private static final Logger LOG = LoggerFactory.getLogger(Block.class);

  /** A column that belongs to another block. */
  private static final int NO_COLUMN = -1;

  private final Path file;
  private final String host;
  private final long from;
  private final long to;
  private final MemorySegment bytes;
  private final BlockCounts counts;
  private final int[] recordAt;

  /** The lists of times that records refer to by number. */
  private final RecordTimes[] times;

  private final Map<RollupKey, Extent> rollups;
  private final byte[] columns;
  private final int[] columnAt;
  private final BitSet damaged = new BitSet();

  /** The position of something in the file. */
  private record Extent(int at, int length) {}

  /** A series in the directory. */
  public record Entry(Labels identity, List<Interval> intervals) {}

  /**
   * @param endedBefore as in {@link Timeline}
   */
  public record Interval(long from, Labels owner, long endedBefore) {}

  /** A block and the series in its directory. */
  public record OpenedBlock(Block block, List<Entry> series) {}

  /**
   * The contents of the directory.
   *
   * @param from the first time
   * @param to the end
   * @param recordAt position of each series's record, and the end of the last one
   * @param times the lists of times that records refer to by number
   * @param columns the columns' times
   * @param columnAt position of each column in {@code columns}
   */
  private record Directory(
      String host,
      long from,
      long to,
      int[] recordAt,
      Map<RollupKey, Extent> rollups,
      List<byte[]> times,
      byte[] columns,
      int[] columnAt) {}

  private Block(Path file, MemorySegment bytes, BlockCounts counts, Directory directory)
      throws WireException {
    this.file = file;
    this.bytes = bytes;
    this.counts = counts;
    this.host = directory.host;
    this.from = directory.from;
    this.to = directory.to;
    this.recordAt = directory.recordAt;
    this.rollups = directory.rollups;
    this.times = new RecordTimes[directory.times.size()];
    for (int i = 0; i < this.times.length; i++) {
      this.times[i] = RecordTimes.read(directory.times.get(i), this);
    }
    this.columns = directory.columns;
    this.columnAt = directory.columnAt;
  }

  /**
   * @throws DamagedBlock if the file is not a whole block
   * @throws IOException if it cannot be read
   */
  public static OpenedBlock open(Path file, BlockCounts counts) throws IOException, DamagedBlock {
    MemorySegment bytes;
    try (FileChannel channel = PrivateFiles.open(file, StandardOpenOption.READ)) {
      bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), Arena.ofAuto());
    }
    long footerAt = bytes.byteSize() - BlockFormat.FOOTER_BYTES;
    try {
      if (footerAt < BlockFormat.HEADER_BYTES) {
        throw new WireException("it has " + bytes.byteSize() + " bytes");
      }
      byte[] header = copy(bytes, 0, BlockFormat.HEADER_BYTES);
      if (header[0] != 'F'
          || header[1] != 'G'
          || header[2] != 'B'
          || header[3] != 'K'
          || header[4] != BlockFormat.VERSION) {
        throw new WireException(
            "it begins with "
                + Arrays.toString(header)
                + ", not with FGBK and version "
                + BlockFormat.VERSION);
      }
      byte[] footer = copy(bytes, footerAt, BlockFormat.FOOTER_BYTES);
      WireReader end = new WireReader(footer);
      long directoryAt = end.u64("where the directory is");
      int length = end.u32("the directory's length");
      int rawLength = end.u32("the directory's length when inflated");
      int check = end.u32("the directory's checksum");
      if (directoryAt < 0
          || length < 0
          || rawLength < 0
          || directoryAt > footerAt
          || directoryAt + length != footerAt) {
        throw new WireException("the footer's lengths do not fit the file");
      }
      byte[] deflated = copy(bytes, directoryAt, length);
      CRC32C found = new CRC32C();
      found.update(deflated);
      found.update(footer, 0, 16);
      if ((int) found.getValue() != check) {
        throw new WireException("the directory's checksum is wrong");
      }
      return read(file, bytes, (int) directoryAt, inflate(deflated, rawLength), counts);
    } catch (WireException | DataFormatException e) {
      throw new DamagedBlock(
          "the block "
              + file
              + " is damaged, as its directory before byte "
              + Math.max(0, footerAt)
              + " shows: "
              + e.getMessage());
    }
  }

  private static byte[] inflate(byte[] deflated, int length) throws DataFormatException {
    try (Inflater inflater = new Inflater(true)) {
      inflater.setInput(deflated);
      byte[] raw = new byte[length];
      int at = 0;
      while (at < length) {
        int more = inflater.inflate(raw, at, length - at);
        if (more == 0) {
          throw new DataFormatException("the directory is shorter than it says");
        }
        at += more;
      }
      return raw;
    }
  }

  private static OpenedBlock read(
      Path file, MemorySegment bytes, int directoryAt, byte[] directory, BlockCounts counts)
      throws WireException {
    WireReader in = new WireReader(directory);
    String host = in.string("the host");
    long from = in.svar("the first time");
    long to = in.svar("the end");
    String[] symbols = new String[in.count(1, "strings")];
    for (int i = 0; i < symbols.length; i++) {
      symbols[i] = in.string("a string");
    }
    List<List<Interval>> timelines = new ArrayList<>();
    timelines.add(List.of());
    for (int left = in.count(1, "timelines"); left > 0; left--) {
      List<Interval> intervals = new ArrayList<>();
      for (int more = in.count(1, "intervals"); more > 0; more--) {
        long since = in.svar("an interval's time");
        Labels owner = labels(in, symbols);
        boolean ended = in.u8("whether a marker ended an owner") == 1;
        intervals.add(
            new Interval(since, owner, ended ? in.svar("a marker's time") : Timeline.NOT_ENDED));
      }
      timelines.add(List.copyOf(intervals));
    }
    int seriesCount = in.count(3, "series");
    List<Entry> series = new ArrayList<>(seriesCount);
    int[] recordAt = new int[seriesCount + 1];
    recordAt[0] = BlockFormat.HEADER_BYTES;
    for (int i = 0; i < seriesCount; i++) {
      Labels identity = labels(in, symbols);
      int timeline = in.uint(timelines.size() - 1, "a timeline's number");
      series.add(new Entry(identity, timelines.get(timeline)));
      recordAt[i + 1] = recordAt[i] + in.uint(directoryAt - recordAt[i], "a record's length");
    }
    Map<RollupKey, Extent> rollups = new HashMap<>();
    int rollupAt = recordAt[seriesCount];
    for (int left = in.count(4, "rollups"); left > 0; left--) {
      String metric = symbols[in.uint(symbols.length - 1, "a string's number")];
      int kind = in.uint(RollupShape.Kind.values().length - 1, "a rollup's kind");
      long window = in.uvar("a rollup's window");
      int length = in.uint(directoryAt - rollupAt, "a rollup's length");
      rollups.put(
          new RollupKey(metric, RollupShape.Kind.values()[kind], window),
          new Extent(rollupAt, length));
      rollupAt += length;
    }
    List<byte[]> times = new ArrayList<>();
    for (int left = in.count(1, "lists of times"); left > 0; left--) {
      times.add(in.raw(in.uint(in.left(), "the length of a list of times"), "a list of times"));
    }
    int[] columnAt = new int[in.count(1, "columns")];
    int columnsFrom = in.position();
    Chunks chunks = new Chunks();
    byte[] columns =
        Arrays.copyOf(
            Arrays.copyOfRange(directory, columnsFrom, directory.length),
            directory.length - columnsFrom + Bits.SLACK);
    long[] column = new long[TimeColumn.CAPACITY];
    chunks.at(0);
    for (int i = 0; i < columnAt.length; i++) {
      int at = chunks.position();
      int count = chunks.u8(columns);
      if (count == 0) {
        columnAt[i] = NO_COLUMN;
      } else {
        columnAt[i] = at;
        chunks.decodeTimes(columns, count, column, 0);
      }
    }
    Block block =
        new Block(
            file,
            bytes,
            counts,
            new Directory(host, from, to, recordAt, rollups, times, columns, columnAt));
    return new OpenedBlock(block, series);
  }

  private static Labels labels(WireReader in, String[] symbols) throws WireException {
    String[] flat = new String[2 * in.count(2, "labels")];
    for (int i = 0; i < flat.length; i++) {
      flat[i] = symbols[in.uint(symbols.length - 1, "a string's number")];
    }
    try {
      return Labels.of(flat);
    } catch (IllegalArgumentException e) {
      throw new WireException(e.getMessage());
    }
  }

  private static byte[] copy(MemorySegment bytes, long at, int length) {
    byte[] copy = new byte[length];
    MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, at, copy, 0, length);
    return copy;
  }

  public Path file() {
    return file;
  }

  public String host() {
    return host;
  }

  public long from() {
    return from;
  }

  public long to() {
    return to;
  }

  public long bytes() {
    return bytes.byteSize();
  }

  /** Bytes of a series' record. */
  public int recordBytes(int place) {
    return recordAt[place + 1] - recordAt[place];
  }

  /** Bytes of all rollups. */
  public long rollupBytes() {
    return rollups.values().stream().mapToLong(Extent::length).sum();
  }

  /** The number of samples; those of records that cannot be read are left out. */
  public long samples() {
    long samples = 0;
    for (int place = 0; place < recordAt.length - 1; place++) {
      try {
        samples += new Record(place).times.size();
      } catch (WireException | IndexOutOfBoundsException e) {
        report(place, e);
      }
    }
    return samples;
  }

  @Override
  public int base() {
    return 0;
  }

  @Override
  public long[] times(int number, Chunks chunks) {
    int at = columnAt[number];
    int count = chunks.at(at).u8(columns);
    long[] times = new long[TimeColumn.CAPACITY];
    chunks.decodeTimes(columns, count, times, 0);
    return times;
  }

  /** The record of a series: which times its samples have, then their values. */
  private final class Record {
    final byte[] bytes;
    final int length;
    final RecordTimes times;
    final int valuesAt;

    Record(int place) throws WireException {
      length = recordAt[place + 1] - recordAt[place];
      bytes = new byte[length + Bits.SLACK];
      MemorySegment.copy(
          Block.this.bytes, ValueLayout.JAVA_BYTE, recordAt[place], bytes, 0, length);
      WireReader in = new WireReader(bytes, 0, length);
      int check = in.u32("the checksum");
      CRC32C found = new CRC32C();
      found.update(bytes, 4, length - 4);
      if ((int) found.getValue() != check) {
        throw new WireException("the checksum is wrong");
      }
      times = Block.this.times[in.uint(Block.this.times.length - 1, "a list of times")];
      valuesAt = in.position();
    }
  }

  /** Reads a series' samples after {@code after} and up to {@code to}; none if it is damaged. */
  public void read(int place, long after, long upTo, SampleReader reader) {
    int before = reader.size();
    try {
      Record record = new Record(place);
      reader.readRecord(record.bytes, record.valuesAt, record.length, record.times, after, upTo);
    } catch (WireException | IndexOutOfBoundsException e) {
      reader.cutTo(before);
      reader.markDamaged();
      report(place, e);
    }
  }

  public boolean hasSampleIn(int place, long since, long upTo, SampleReader reader) {
    try {
      long[] all = reader.times(new Record(place).times);
      int at = Series.firstAfter(all, 0, all.length, since - 1);
      return at < all.length && all[at] <= upTo;
    } catch (WireException | IndexOutOfBoundsException e) {
      reader.markDamaged();
      report(place, e);
      return false;
    }
  }

  /** A rollup; empty if the block does not have it, or if it is damaged. */
  public Optional<RollupPage> rollup(RollupKey key) {
    Optional<byte[]> page = rollupBytes(key);
    try {
      return page.isEmpty() ? Optional.empty() : Optional.of(RollupForm.decode(page.get()));
    } catch (WireException e) {
      reportRollup(key, e.getMessage());
      return Optional.empty();
    }
  }

  /** The bytes of a rollup page whose checksum is right. */
  public Optional<byte[]> rollupBytes(RollupKey key) {
    Extent extent = rollups.get(key);
    if (extent == null || extent.length < 4) {
      return Optional.empty();
    }
    byte[] checked = copy(bytes, extent.at, extent.length);
    CRC32C found = new CRC32C();
    found.update(checked, 4, checked.length - 4);
    try {
      if ((int) found.getValue() != new WireReader(checked).u32("the checksum")) {
        reportRollup(key, "the checksum is wrong");
        return Optional.empty();
      }
    } catch (WireException e) {
      reportRollup(key, e.getMessage());
      return Optional.empty();
    }
    return Optional.of(Arrays.copyOfRange(checked, 4, checked.length));
  }

  private void reportRollup(RollupKey key, String why) {
    counts.damaged.increment();
    LOG.error(
        "the block {} is damaged: {}; the rollup {} is computed from samples instead",
        file,
        why,
        key);
  }

  /** Returns true if samples of a series were found to be damaged. */
  public boolean isDamaged() {
    synchronized (damaged) {
      return !damaged.isEmpty();
    }
  }

  /**
   * Reads all samples of a file.
   *
   * @throws DamagedBlock if one of them cannot be read
   * @throws IOException if the file cannot be read
   */
  public static void check(Path file) throws IOException, DamagedBlock {
    OpenedBlock opened = open(file, new BlockCounts());
    SampleReader reader = new SampleReader();
    for (int place = 0; place < opened.series().size(); place++) {
      reader.clear();
      opened.block().read(place, Long.MIN_VALUE, Long.MAX_VALUE, reader);
      if (reader.takeDamaged()) {
        throw new DamagedBlock(
            "samples of " + opened.series().get(place).identity() + " in " + file + " are damaged");
      }
    }
  }

  /** Reports, once for each series, that its samples in this block are lost. */
  private void report(int place, Exception e) {
    synchronized (damaged) {
      if (damaged.get(place)) {
        return;
      }
      damaged.set(place);
    }
    counts.damaged.increment();
    LOG.error(
        "the block {} is damaged at byte {}: {}; its samples of one series are lost",
        file,
        recordAt[place],
        e.getMessage());
  }

  @Override
  public String toString() {
    return file.toString();
  }
}

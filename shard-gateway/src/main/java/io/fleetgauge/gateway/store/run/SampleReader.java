package io.fleetgauge.gateway.store.run;

import io.fleetgauge.gateway.store.chunk.Chunks;
import io.fleetgauge.gateway.store.chunk.Pieces;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Collects the samples of one series after another. It caches decoded columns of times, which many
 * series share. One thread, one query.
 */
public final class SampleReader {
  private static final long[][] NO_TIMES = {};

  private final Chunks chunks = new Chunks();
  private final Chunks timeChunks = new Chunks();
  private final Pieces pieces = new Pieces();

  /** Decoded times by column number, counted from the base. */
  private final Map<SampleColumns, long[][]> columnTimes = new IdentityHashMap<>();

  /** The list of columns used last; consecutive series mostly use the same one. */
  private SampleColumns lastColumns;

  private long[][] lastTimes;

  /** Decoded times of records; consecutive records mostly have the same ones. */
  private final Map<RecordTimes, long[]> recordTimes = new IdentityHashMap<>();

  private RecordTimes lastRecord;
  private long[] lastRecordTimes;
  private long[] times = new long[256];
  private double[] values = new double[256];
  private Histogram[] histograms;
  private int size;
  private boolean damaged;

  /** Records that samples could not be read. */
  public void markDamaged() {
    damaged = true;
  }

  /** Returns true if samples could not be read since the last call. */
  public boolean takeDamaged() {
    boolean was = damaged;
    damaged = false;
    return was;
  }

  public void clear() {
    size = 0;
    histograms = null;
  }

  public int size() {
    return size;
  }

  /** Keeps the first samples only. */
  public void cutTo(int newSize) {
    size = newSize;
  }

  public long[] times() {
    return times;
  }

  public double[] values() {
    return values;
  }

  /** Null when there are none. */
  public Histogram[] histograms() {
    return histograms;
  }

  /** The decoded times of a column. */
  public long[] times(SampleColumns columns, int number) {
    if (columns != lastColumns) {
      lastTimes = columnTimes.getOrDefault(columns, NO_TIMES);
      lastColumns = columns;
    }
    int place = number - columns.base();
    if (place >= 0 && place < lastTimes.length && lastTimes[place] != null) {
      return lastTimes[place];
    }
    // Damaged bytes may give any number; numbers without a column are rejected here.
    long[] times = columns.times(number, timeChunks);
    if (place >= lastTimes.length) {
      lastTimes = Arrays.copyOf(lastTimes, place + 8);
      columnTimes.put(columns, lastTimes);
    }
    lastTimes[place] = times;
    return times;
  }

  /** The times of the column of an open page, in an array that may be longer. */
  public long[] pageTimes(TimeColumn column) {
    return column.times(timeChunks);
  }

  /**
   * Reads the samples after {@code after} and up to {@code to} from runs, as the package draws
   * them.
   *
   * @param base the number from which the column of the first run is counted
   */
  public void readRuns(
      byte[] bytes, int from, int end, int base, SampleColumns columns, long after, long to) {
    int number = base;
    chunks.at(from);
    while (chunks.position() < end) {
      number += (int) chunks.svar(bytes);
      int head = chunks.u8(bytes);
      int count = RunFormat.count(head);
      int first = RunFormat.hasOffset(head) ? chunks.u8(bytes) : 0;
      long[] column = times(columns, number);
      if (column[first] > to || column[first + count - 1] <= after) {
        chunks.skip(bytes, count);
      } else {
        room(count);
        chunks.decode(bytes, count, values, size, this::histogram);
        System.arraycopy(column, first, times, size, count);
        accept(count, after, to);
      }
    }
  }

  /** The times of a record's samples. The caller must not write to them. */
  public long[] times(RecordTimes record) {
    if (record != lastRecord) {
      lastRecordTimes = recordTimes.computeIfAbsent(record, each -> each.times(this));
      lastRecord = record;
    }
    return lastRecordTimes;
  }

  /**
   * Reads the samples of a record after {@code after} and up to {@code to}.
   *
   * @param from where its values begin, as gateway.store.chunk draws them
   * @param end where they end
   */
  public void readRecord(byte[] bytes, int from, int end, RecordTimes record, long after, long to) {
    long[] all = times(record);
    int count = all.length;
    int needed = count == 0 || all[count - 1] <= to ? count : Series.firstAfter(all, 0, count, to);
    if (needed == 0 || all[needed - 1] <= after) {
      return;
    }
    room(count);
    pieces.decode(bytes, from, end, count, needed, values, size, this::histogram);
    System.arraycopy(all, 0, times, size, needed);
    accept(needed, after, to);
  }

  /** Returns true if a run has a sample from {@code from} to {@code to}, both included. */
  public boolean runsHaveSampleIn(
      byte[] bytes, int start, int end, int base, SampleColumns columns, long from, long to) {
    int number = base;
    chunks.at(start);
    while (chunks.position() < end) {
      number += (int) chunks.svar(bytes);
      int head = chunks.u8(bytes);
      int count = RunFormat.count(head);
      int first = RunFormat.hasOffset(head) ? chunks.u8(bytes) : 0;
      long[] column = times(columns, number);
      int at = Series.firstAfter(column, first, first + count, from - 1);
      if (at < first + count && column[at] <= to) {
        return true;
      }
      chunks.skip(bytes, count);
    }
    return false;
  }

  /** Adds samples that are not packed. */
  public void read(
      long[] fromTimes,
      int offset,
      double[] fromValues,
      Histogram[] fromHistograms,
      int count,
      long after,
      long to) {
    room(count);
    System.arraycopy(fromTimes, offset, times, size, count);
    System.arraycopy(fromValues, 0, values, size, count);
    if (fromHistograms != null) {
      for (int i = 0; i < count; i++) {
        if (fromHistograms[i] != null) {
          histogram(size + i, fromHistograms[i]);
        }
      }
    }
    accept(count, after, to);
  }

  /** Merges late samples into those that were read. */
  public void merge(LateSamples late, long after, long to) {
    int count = late.size();
    int from = Series.firstAfter(late.times, 0, count, after);
    int end = Series.firstAfter(late.times, from, count, to);
    if (from == end) {
      return;
    }
    Series inOrder = between(Labels.EMPTY, 0, size);
    Series lateOnes =
        new Series(
            Labels.EMPTY,
            Arrays.copyOfRange(late.times, from, end),
            Arrays.copyOfRange(late.values, from, end),
            late.histograms == null ? null : Arrays.copyOfRange(late.histograms, from, end));
    // A late sample has the time of another one only if it replaces that.
    Series all = Series.union(lateOnes, inOrder);
    clear();
    read(all.times(), 0, all.values(), all.histograms(), all.size(), after, to);
  }

  /** A part of the samples that were read. */
  public Series between(Labels labels, int from, int to) {
    return new Series(
        labels,
        Arrays.copyOfRange(times, from, to),
        Arrays.copyOfRange(values, from, to),
        hasHistogram(from, to) ? Arrays.copyOfRange(histograms, from, to) : null);
  }

  private boolean hasHistogram(int from, int to) {
    if (histograms != null) {
      for (int i = from; i < to; i++) {
        if (histograms[i] != null) {
          return true;
        }
      }
    }
    return false;
  }

  private void room(int more) {
    if (times.length - size < more) {
      int capacity = Math.max(2 * times.length, size + more);
      times = Arrays.copyOf(times, capacity);
      values = Arrays.copyOf(values, capacity);
    }
    if (histograms != null && histograms.length < times.length) {
      histograms = Arrays.copyOf(histograms, times.length);
    }
  }

  private void histogram(int index, Histogram histogram) {
    if (histograms == null) {
      histograms = new Histogram[times.length];
    }
    histograms[index] = histogram;
  }

  /** Keeps those of {@code count} new samples that are within the times. */
  private void accept(int count, long after, long to) {
    int first = size;
    int end = size + count;
    if (times[first] <= after) {
      first = Series.firstAfter(times, first, end, after);
    }
    if (times[end - 1] > to) {
      end = Series.firstAfter(times, first, end, to);
    }
    int kept = end - first;
    if (first > size && kept > 0) {
      System.arraycopy(times, first, times, size, kept);
      System.arraycopy(values, first, values, size, kept);
      if (histograms != null) {
        System.arraycopy(histograms, first, histograms, size, kept);
      }
    }
    if (histograms != null) {
      Arrays.fill(histograms, size + kept, size + count, null);
    }
    size += kept;
  }
}

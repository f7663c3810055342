package io.fleetgauge.gateway.store.run;

import io.fleetgauge.gateway.store.chunk.Bits;
import io.fleetgauge.gateway.store.chunk.Chunks;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Arrays;

/**
 * Times that many series share: some minutes of one tick stream. The lane's writer appends; a
 * reader that knows how many samples a series has may read as many times.
 */
public final class TimeColumn {
  public static final int CAPACITY = PackedRuns.RUN;

  /** The first time that belongs to a later block. */
  public final long end;

  private final long first;
  // One of the two is null; packed is set before times is cleared.
  private volatile long[] times;
  private volatile byte[] packed;
  // For the writer only; readers use the size of a series.
  private int size;
  private long last;

  public TimeColumn(long time, long end) {
    this.end = end;
    this.first = time;
    this.last = time;
    this.times = new long[CAPACITY];
    times[0] = time;
    size = 1;
  }

  /** A copy of some times, which continues with other times than its source. */
  private TimeColumn(TimeColumn source, int from, int count, Chunks chunks) {
    long[] copied = Arrays.copyOfRange(source.times(chunks), from, from + count);
    this.end = source.end;
    this.first = copied[0];
    this.last = copied[count - 1];
    this.times = Arrays.copyOf(copied, CAPACITY);
    this.size = count;
  }

  public TimeColumn copy(int from, int count, Chunks chunks) {
    return new TimeColumn(this, from, count, chunks);
  }

  public long first() {
    return first;
  }

  public int size() {
    return size;
  }

  public long last() {
    return last;
  }

  public long time(int index, Chunks chunks) {
    long[] raw = times;
    return (raw == null ? times(chunks) : raw)[index];
  }

  public boolean takes(long time) {
    return size < CAPACITY && time < end;
  }

  public void append(long time) {
    times[size] = time;
    last = time;
    size++;
  }

  /** Compresses a full column. */
  public void pack(Chunks chunks) {
    if (packed == null && size == CAPACITY) {
      WireWriter scratch = new WireWriter(8 * CAPACITY);
      chunks.encodeTimes(times, 0, size, scratch);
      packed = Arrays.copyOf(scratch.array(), scratch.size() + Bits.SLACK);
      times = null;
    }
  }

  /** The times, in an array that may be longer. */
  public long[] times(Chunks chunks) {
    long[] raw = times;
    if (raw == null) {
      raw = new long[CAPACITY];
      chunks.at(0).decodeTimes(packed, CAPACITY, raw, 0);
    }
    return raw;
  }

  /** As drawn in the block's description. Writer only. */
  public void write(Chunks chunks, WireWriter out) {
    out.u8(size);
    long[] raw = times(chunks);
    chunks.encodeTimes(raw, 0, size, out);
  }

  public int bytes() {
    byte[] bytes = packed;
    return bytes == null ? 8 * CAPACITY : bytes.length;
  }
}

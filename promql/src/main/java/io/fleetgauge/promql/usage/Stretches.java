package io.fleetgauge.promql.usage;

import java.util.Arrays;

/** Who has shared a device lately, in order of time. */
final class Stretches {
  private long[] starts = new long[4];
  private Split[] splits = new Split[4];
  private int first;
  private int size;

  /** Receives a part of a time. */
  @FunctionalInterface
  interface Receiver {
    void has(Split split, long from, long to);
  }

  /**
   * Begins a stretch, if something changes.
   *
   * @param split null while it is not known
   */
  void begin(long time, Split split) {
    if (size > first && splits[size - 1] == split) {
      return;
    }
    if (size > first && starts[size - 1] == time) {
      splits[size - 1] = split;
      return;
    }
    if (size == starts.length) {
      int length = size - first;
      long[] times = length > starts.length / 2 ? new long[2 * length] : starts;
      Split[] all = times == starts ? splits : new Split[2 * length];
      System.arraycopy(starts, first, times, 0, length);
      System.arraycopy(splits, first, all, 0, length);
      starts = times;
      splits = all;
      first = 0;
      size = length;
    }
    starts[size] = time;
    splits[size++] = split;
  }

  /** Nobody asks for anything before a time any more. */
  void forget(long before) {
    while (size - first > 1 && starts[first + 1] <= before) {
      splits[first++] = null;
    }
  }

  Split last() {
    return splits[size - 1];
  }

  boolean isEmpty() {
    return size == first;
  }

  /** Says whose the stretches are that are not known. */
  void know(Split split) {
    for (int i = first; i < size; i++) {
      if (splits[i] == null) {
        splits[i] = split;
      }
    }
  }

  void between(long from, long to, Receiver receiver) {
    for (int i = first; i < size && starts[i] < to; i++) {
      long start = Math.max(from, starts[i]);
      long end = i + 1 < size ? Math.min(to, starts[i + 1]) : to;
      if (start < end) {
        receiver.has(splits[i], start, end);
      }
    }
  }

  @Override
  public String toString() {
    return Arrays.toString(Arrays.copyOfRange(starts, first, size));
  }
}

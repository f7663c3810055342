package io.fleetgauge.sample.journal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Records of the current segment that are written and not yet forced to the disk, oldest first.
 * They are written again when forcing fails. Not for several threads; the journal's lock guards it.
 */
final class UnsyncedRecords {
  private final ArrayDeque<byte[]> records = new ArrayDeque<>();
  private long bytes;
  private long oldestNanos;

  /**
   * @param nowNanos of a monotonic clock
   */
  void add(byte[] record, long nowNanos) {
    if (records.isEmpty()) {
      oldestNanos = nowNanos;
    }
    records.add(record);
    bytes += record.length;
  }

  int count() {
    return records.size();
  }

  boolean isEmpty() {
    return records.isEmpty();
  }

  long bytes() {
    return bytes;
  }

  /**
   * The time for which the oldest has waited; of those that were added after a sync, since that
   * sync.
   */
  long waitedNanos(long nowNanos) {
    return nowNanos - oldestNanos;
  }

  /** The oldest are on the disk. */
  void synced(int count, long nowNanos) {
    for (int i = 0; i < count && !records.isEmpty(); i++) {
      bytes -= records.remove().length;
    }
    oldestNanos = nowNanos;
  }

  void clear() {
    records.clear();
    bytes = 0;
  }

  List<byte[]> toList() {
    return new ArrayList<>(records);
  }
}

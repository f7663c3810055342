package io.fleetgauge.sample.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * The segments of a journal and their bytes. Not for several threads; the journal's lock guards it.
 */
final class SegmentSizes {
  private final TreeMap<Long, Long> sizes = new TreeMap<>();
  private long bytes;

  /** Adds a segment or changes its size. */
  void put(long number, long size) {
    Long before = sizes.put(number, size);
    bytes += size - (before == null ? 0 : before);
  }

  /** Bytes of all segments. */
  long bytes() {
    return bytes;
  }

  int count() {
    return sizes.size();
  }

  /** The highest number; 0 when there is no segment. */
  long last() {
    return sizes.isEmpty() ? 0 : sizes.lastKey();
  }

  boolean contains(long number) {
    return sizes.containsKey(number);
  }

  /** Numbers of the segments before one, ascending. */
  List<Long> before(long number) {
    return new ArrayList<>(sizes.headMap(number).keySet());
  }

  /** The segment before another one; the number itself when there is none before. */
  long precedingOrSame(long number) {
    Long preceding = sizes.lowerKey(number);
    return preceding == null ? number : preceding;
  }

  void remove(long number) {
    Long size = sizes.remove(number);
    bytes -= size == null ? 0 : size;
  }
}

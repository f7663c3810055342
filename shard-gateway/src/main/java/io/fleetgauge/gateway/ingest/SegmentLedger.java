package io.fleetgauge.gateway.ingest;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * For each segment of the journal, the hosts that have samples in it and the newest time of each.
 * From this follows when a segment may be deleted. Safe for all threads.
 */
final class SegmentLedger {
  private final TreeMap<Long, Map<String, Long>> newestBySegment = new TreeMap<>();

  /**
   * @param newest time of the host's newest sample in a new record of the segment, ms
   */
  synchronized void note(long segment, String host, long newest) {
    newestBySegment
        .computeIfAbsent(segment, none -> new HashMap<>())
        .merge(host, newest, Math::max);
  }

  /**
   * Forgets the segments whose samples are all in blocks or expired.
   *
   * @param safeBefore by host, the time before which its samples need no journal, ms
   * @param current the segment that is being written; it is never freed
   * @return segments before this number may be deleted
   */
  synchronized long freeBefore(ToLongFunction<String> safeBefore, long current) {
    while (!newestBySegment.isEmpty() && newestBySegment.firstKey() < current) {
      boolean needed =
          newestBySegment.firstEntry().getValue().entrySet().stream()
              .anyMatch(host -> host.getValue() >= safeBefore.applyAsLong(host.getKey()));
      if (needed) {
        break;
      }
      newestBySegment.pollFirstEntry();
    }
    return newestBySegment.isEmpty() ? current : Math.min(current, newestBySegment.firstKey());
  }
}

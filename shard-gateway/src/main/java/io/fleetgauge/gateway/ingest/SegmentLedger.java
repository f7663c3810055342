package io.fleetgauge.gateway.ingest;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * For each segment of the journal, the hosts that have samples in it, and which time of each it
 * covers. From this follows when a segment may be deleted, and when it is long enough. Safe for all
 * threads.
 */
final class SegmentLedger {
  private final TreeMap<Long, Map<String, CoveredTime>> bySegment = new TreeMap<>();

  /** The time of a host that a segment covers, ms. */
  private static final class CoveredTime {
    private long oldest = Long.MAX_VALUE;
    private long newest = Long.MIN_VALUE;

    private boolean isLongerThan(long millis) {
      return newest > Long.MIN_VALUE && newest - oldest > millis;
    }
  }

  /**
   * @param newest time of the host's newest sample in a new record of the segment, ms
   */
  synchronized void note(long segment, String host, long newest) {
    CoveredTime covered =
        bySegment
            .computeIfAbsent(segment, none -> new HashMap<>())
            .computeIfAbsent(host, none -> new CoveredTime());
    covered.newest = Math.max(covered.newest, newest);
    if (newest > Long.MIN_VALUE) {
      covered.oldest = Math.min(covered.oldest, newest);
    }
  }

  /** Returns true if a segment has records of a host whose newest samples are so far apart, ms. */
  synchronized boolean covers(long segment, long millis) {
    return bySegment.getOrDefault(segment, Map.of()).values().stream()
        .anyMatch(covered -> covered.isLongerThan(millis));
  }

  /**
   * Forgets the segments whose samples are all in blocks or expired.
   *
   * @param safeBefore by host, the time before which its samples need no journal, ms
   * @param current the segment that is being written; it is never freed
   * @return segments before this number may be deleted
   */
  synchronized long freeBefore(ToLongFunction<String> safeBefore, long current) {
    while (!bySegment.isEmpty() && bySegment.firstKey() < current) {
      boolean needed =
          bySegment.firstEntry().getValue().entrySet().stream()
              .anyMatch(host -> host.getValue().newest >= safeBefore.applyAsLong(host.getKey()));
      if (needed) {
        break;
      }
      bySegment.pollFirstEntry();
    }
    return bySegment.isEmpty() ? current : Math.min(current, bySegment.firstKey());
  }
}

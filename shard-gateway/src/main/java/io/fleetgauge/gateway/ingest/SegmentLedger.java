package io.fleetgauge.gateway.ingest;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * Up to which time each segment of the journal has samples of which hosts: so it is known when a
 * segment is needed no more. Safe for all threads.
 */
final class SegmentLedger {
  private final TreeMap<Long, Map<String, Long>> newestBySegment = new TreeMap<>();

  /**
   * @param newest time of the newest sample of the host that a record of the segment has, ms
   */
  synchronized void note(long segment, String host, long newest) {
    newestBySegment
        .computeIfAbsent(segment, none -> new HashMap<>())
        .merge(host, newest, Math::max);
  }

  /**
   * Forgets the segments whose samples are all elsewhere by now.
   *
   * @param safeBefore by host, the time before which its samples are elsewhere, ms
   * @return segments before this number are needed no more
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

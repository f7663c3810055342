package io.fleetgauge.gateway.stream;

import io.fleetgauge.runtime.process.Meters;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts streams to and from other gateways. Safe for all threads. */
public final class StreamCounts {
  final LongAdder open = new LongAdder();
  final LongAdder unanswered = new LongAdder();
  final LongAdder crowded = new LongAdder();
  private final Map<End, LongAdder> ends = new EnumMap<>(End.class);

  public StreamCounts() {
    for (End end : End.values()) {
      ends.put(end, new LongAdder());
    }
  }

  void ended(End end) {
    ends.get(end).increment();
  }

  private Map<String, Long> ends() {
    Map<String, Long> counts = new TreeMap<>();
    ends.forEach((end, count) -> counts.put(end.label(), count.sum()));
    return counts;
  }

  /** Declares what is counted. */
  public void declare(Meters meters) {
    meters.gauge("streams", "Open streams to and from other gateways.", open::sum);
    meters.counters(
        "stream_ends",
        "Streams to and from other gateways that ended or could not be opened, by reason.",
        "reason",
        this::ends);
    meters.counters(
        "stream_failures",
        "Requests to other gateways that failed without ending the stream, by reason.",
        "reason",
        () -> Map.of("unanswered", unanswered.sum(), "crowded", crowded.sum()));
  }
}

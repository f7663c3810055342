package io.fleetgauge.probe.scrape;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

/** Counts of what was refused of one target, by reason. Safe for all threads. */
final class ScrapeCounts {
  private final Map<Reason, LongAdder> byReason = new EnumMap<>(Reason.class);

  ScrapeCounts() {
    for (Reason reason : Reason.values()) {
      byReason.put(reason, new LongAdder());
    }
  }

  void add(Reason reason) {
    byReason.get(reason).increment();
  }

  long of(Reason reason) {
    return byReason.get(reason).sum();
  }

  void each(BiConsumer<Reason, Long> out) {
    byReason.forEach((reason, count) -> out.accept(reason, count.sum()));
  }
}

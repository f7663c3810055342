package io.fleetgauge.cluster.bus;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts messages. Safe for all threads. */
final class BusCounts {
  private final LongAdder sent = new LongAdder();
  private final LongAdder notSent = new LongAdder();
  private final LongAdder received = new LongAdder();
  private final Map<Rejection, LongAdder> rejected = new EnumMap<>(Rejection.class);

  BusCounts() {
    for (Rejection why : Rejection.values()) {
      rejected.put(why, new LongAdder());
    }
  }

  void countSent() {
    sent.increment();
  }

  /** A message was dropped because the bus was not connected. */
  void countNotSent() {
    notSent.increment();
  }

  void countReceived() {
    received.increment();
  }

  void count(Rejection why) {
    rejected.get(why).increment();
  }

  long sent() {
    return sent.sum();
  }

  long notSent() {
    return notSent.sum();
  }

  long received() {
    return received.sum();
  }

  /** By reason, as the metric's label has it. */
  Map<String, Long> rejected() {
    Map<String, Long> counts = new TreeMap<>();
    rejected.forEach((why, count) -> counts.put(why.label(), count.sum()));
    return counts;
  }
}

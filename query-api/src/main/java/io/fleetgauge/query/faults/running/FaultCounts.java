package io.fleetgauge.query.faults.running;

import io.fleetgauge.runtime.process.Meters;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/** What is counted of the evaluation of faults. Thread-safe. */
final class FaultCounts {
  final LongAdder steps = new LongAdder();
  final LongAdder takeovers = new LongAdder();
  final LongAdder readsFailed = new LongAdder();
  private final DoubleAdder seconds = new DoubleAdder();
  private volatile long behind;
  private volatile boolean evaluates;
  private volatile Map<String, Long> open = Map.of();

  void stepped(int some, double took) {
    steps.add(some);
    seconds.add(took);
  }

  void evaluates(boolean is) {
    evaluates = is;
    if (!is) {
      behind = 0;
      open = Map.of();
    }
  }

  void found(long hostsBehind, Map<String, Long> openByKind) {
    behind = hostsBehind;
    open = Map.copyOf(openByKind);
  }

  void declare(Meters meters) {
    meters.gauge(
        "fault_owner",
        "1 if this query API looks for faults, for the whole cluster.",
        () -> evaluates ? 1 : 0);
    meters.counter("fault_steps", "Steps at which faults were looked for.", steps::sum);
    meters.counter(
        "fault_step_seconds", "Time in which detectors looked at samples.", seconds::sum);
    meters.counter(
        "fault_takeovers",
        "Times that this query API began to look for faults, by what was stored.",
        takeovers::sum);
    meters.counter(
        "fault_reads_failed",
        "Reads of samples for faults that failed and were repeated.",
        readsFailed::sum);
    meters.gauge(
        "fault_hosts_behind",
        "Hosts whose newest samples are older than the step before the last.",
        () -> behind);
    meters.gauges(
        "faults_open",
        "Faults that last, by kind.",
        "kind",
        () -> {
          Map<String, Double> values = new TreeMap<>();
          open.forEach((kind, count) -> values.put(kind, (double) count));
          return values;
        });
  }
}

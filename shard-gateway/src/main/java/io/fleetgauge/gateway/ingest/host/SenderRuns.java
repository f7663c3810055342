package io.fleetgauge.gateway.ingest.host;

import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The runs of one host's senders, and the memory that their dictionaries take. A run without its
 * dictionary keeps its progress. Only the host's lane thread uses it.
 */
final class SenderRuns {
  /** A probe has one run at a time; each gateway that takes remote writes for the host has one. */
  static final int MAX_RUNS = 32;

  /** A series without a sample for so long has ended for every query. */
  static final long IDLE_MILLIS = TimeUnit.MINUTES.toMillis(5);

  /** The run that was used longest ago is the first. */
  private final Map<Long, SenderRun> runs = new LinkedHashMap<>(8, 0.75f, true);

  private final DictionaryLimits limits;

  /** Bytes of the dictionaries of all hosts of this gateway. */
  private final LongAdder all;

  /** Those of this host. */
  private long bytes;

  SenderRuns(DictionaryLimits limits, LongAdder all) {
    this.limits = limits;
    this.all = all;
  }

  /** A run, made when it is not there. */
  SenderRun get(long number, long clock) {
    SenderRun run = runs.get(number);
    if (run == null) {
      run = new SenderRun(number);
      runs.put(number, run);
      if (runs.size() > MAX_RUNS) {
        Iterator<SenderRun> eldest = runs.values().iterator();
        discount(eldest.next());
        eldest.remove();
      }
    }
    run.usedAt = clock;
    return run;
  }

  Optional<SenderRun> find(long number) {
    return Optional.ofNullable(runs.get(number));
  }

  Collection<SenderRun> all() {
    return runs.values();
  }

  /** Whether this gateway has memory for what adds to a dictionary. */
  boolean mayGrow() {
    return all.sum() <= limits.ofAll();
  }

  /**
   * Counts what a run's dictionary takes now.
   *
   * @param used runs whose dictionaries are in use
   */
  void measure(SenderRun run, Collection<SenderRun> used) {
    long held = run.dictionary.heldBytes();
    if (held == run.countedBytes || run.isReplaced) {
      return;
    }
    count(held - run.countedBytes);
    run.countedBytes = held;
    for (Map.Entry<Long, SenderRun> each : runs.entrySet()) {
      if (bytes <= limits.ofHost()) {
        return;
      }
      if (!used.contains(each.getValue())) {
        dropDictionary(each);
      }
    }
  }

  /** Drops the dictionaries that are not in use if those of all hosts take much memory. */
  void trim(long clock) {
    if (bytes == 0 || all.sum() <= limits.ofIdle()) {
      return;
    }
    for (Map.Entry<Long, SenderRun> each : runs.entrySet()) {
      if (clock - each.getValue().usedAt > IDLE_MILLIS) {
        dropDictionary(each);
      }
    }
  }

  private void dropDictionary(Map.Entry<Long, SenderRun> entry) {
    SenderRun run = entry.getValue();
    if (run.countedBytes > 0) {
      discount(run);
      entry.setValue(run.withoutDictionary());
    }
  }

  private void discount(SenderRun run) {
    count(-run.countedBytes);
    run.isReplaced = true;
  }

  private void count(long more) {
    bytes += more;
    all.add(more);
  }

  /** The host is not served here any more. */
  void close() {
    runs.values().forEach(this::discount);
    runs.clear();
  }
}

package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.sample.frame.DerivedRuns;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.RunDictionary;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
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

  /**
   * Limits of the memory that dictionaries of runs take, bytes.
   *
   * @param ofIdle above it, on all hosts of this gateway, dictionaries that have not been used for
   *     {@link #IDLE_MILLIS} are dropped; their senders send them again
   * @param ofAll above it, on all hosts of this gateway, what would add to a dictionary has to wait
   */
  record Limits(long ofIdle, long ofAll) {
    static final Limits OF_HEAP = ofHeap(Runtime.getRuntime().maxMemory());

    private static Limits ofHeap(long heap) {
      return new Limits(heap / 8, heap / 2);
    }
  }

  /** The knowledge of a host's session about one run of a sender. */
  static final class Run {
    final long number;
    final boolean isDerived;
    final RunDictionary dictionary;
    final List<Lane.Handle> handles = new ArrayList<>();
    RunProgress progress = RunProgress.NOTHING;

    /** The series of the last tick: the next one has as many in most cases. */
    Lane.Handle[] ofTick = {};

    /** The series that a probe sends about itself. */
    final List<Lane.Handle> ofProbe = new ArrayList<>();

    boolean isReplayed;

    /** Time of the last of its ticks that came here from its sender or from the owner, ms. */
    long lastTime = Long.MIN_VALUE;

    final BodyJournal.BodyRuns.InJournal inJournal;

    /** When it was used last, ms since the epoch. */
    long usedAt;

    /** Bytes of its dictionary that are counted. */
    long countedBytes;

    /** True if another object, or none, is in its place. */
    boolean isReplaced;

    Run(long number) {
      this(number, new RunDictionary());
    }

    Run(long number, RunDictionary dictionary) {
      this.number = number;
      this.isDerived = DerivedRuns.isOne(number);
      this.dictionary = dictionary;
      this.inJournal = new BodyJournal.BodyRuns.InJournal(number, dictionary);
    }

    /** The same run before its sender has sent its dictionary again. */
    Run withoutDictionary() {
      Run same = new Run(number);
      same.progress = progress;
      same.isReplayed = isReplayed;
      same.lastTime = lastTime;
      same.usedAt = usedAt;
      return same;
    }

    /** Returns true if the dictionary has not all that a frame says. */
    boolean grows(Frame frame) {
      Frame.Additions more = frame.additions();
      return more.knownSymbols() + more.symbols().size() > dictionary.symbolCount()
          || more.knownSeries() + more.series().size() > dictionary.size();
    }

    /**
     * @param acknowledged as {@link RunProgress#with(long, long)}
     */
    void came(Frame.Tick tick, long acknowledged) {
      if (tick.sequence() > progress.kept()) {
        lastTime = tick.time();
      }
      progress = progress.with(tick.sequence(), acknowledged);
    }

    /**
     * Ticks before the first one in the journal are in blocks; what the journal skips later is
     * unproven.
     */
    void replayed(Frame.Tick tick) {
      progress =
          isReplayed
              ? progress.with(tick.sequence(), 0)
              : progress.with(RunProgress.upTo(tick.sequence()));
      isReplayed = true;
      lastTime = Math.max(lastTime, tick.time());
    }
  }

  /** The run that was used longest ago is the first. */
  private final Map<Long, Run> runs = new LinkedHashMap<>(8, 0.75f, true);

  private final Limits limits;

  /** Bytes of the dictionaries of all hosts of this gateway. */
  private final LongAdder all;

  /** Those of this host. */
  private long bytes;

  SenderRuns(Limits limits, LongAdder all) {
    this.limits = limits;
    this.all = all;
  }

  /** A run, made when it is not there. */
  Run get(long number, long clock) {
    Run run = runs.get(number);
    if (run == null) {
      run = new Run(number);
      runs.put(number, run);
      if (runs.size() > MAX_RUNS) {
        Iterator<Run> eldest = runs.values().iterator();
        discount(eldest.next());
        eldest.remove();
      }
    }
    run.usedAt = clock;
    return run;
  }

  Optional<Run> find(long number) {
    return Optional.ofNullable(runs.get(number));
  }

  Collection<Run> all() {
    return runs.values();
  }

  /** Returns true if this gateway has memory for what adds to a dictionary. */
  boolean mayGrow() {
    return all.sum() <= limits.ofAll();
  }

  /** Counts what a run's dictionary takes now. */
  void measure(Run run) {
    long held = run.dictionary.heldBytes();
    if (!run.isReplaced) {
      count(held - run.countedBytes);
      run.countedBytes = held;
    }
  }

  /** Drops the dictionaries that are not in use if those of all hosts take much memory. */
  void trim(long clock) {
    if (bytes == 0 || all.sum() <= limits.ofIdle()) {
      return;
    }
    for (Map.Entry<Long, Run> each : runs.entrySet()) {
      if (clock - each.getValue().usedAt > IDLE_MILLIS) {
        dropDictionary(each);
      }
    }
  }

  private void dropDictionary(Map.Entry<Long, Run> entry) {
    Run run = entry.getValue();
    if (run.countedBytes > 0) {
      discount(run);
      entry.setValue(run.withoutDictionary());
    }
  }

  private void discount(Run run) {
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

package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.gateway.ingest.progress.RunProgress;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.sample.frame.DerivedRuns;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.RunDictionary;
import java.util.ArrayList;
import java.util.List;

/** What a host's session knows of one run of a sender. */
final class SenderRun {
  final long number;
  final boolean isDerived;
  final RunDictionary dictionary;
  final List<Lane.Handle> handles = new ArrayList<>();
  RunProgress progress = RunProgress.NOTHING;

  /** The series of the last tick: the next one has as many in most cases. */
  Lane.Handle[] ofTick = {};

  /** What a probe that sends it says of itself. */
  final List<Lane.Handle> ofProbe = new ArrayList<>();

  boolean isReplayed;

  /** Time of the last of its ticks that came here from its sender or from the owner, ms. */
  long lastTime = Long.MIN_VALUE;

  final BodyJournal.BodyRuns.InJournal inJournal;

  /** When it was used last, ms since the epoch. */
  long usedAt;

  /** Bytes of its dictionary that are counted. */
  long countedBytes;

  /** Whether another object, or none, is in its place. */
  boolean isReplaced;

  SenderRun(long number) {
    this(number, new RunDictionary());
  }

  SenderRun(long number, RunDictionary dictionary) {
    this.number = number;
    this.isDerived = DerivedRuns.isOne(number);
    this.dictionary = dictionary;
    this.inJournal = new BodyJournal.BodyRuns.InJournal(number, dictionary);
  }

  /** The same run before its sender has sent its dictionary again. */
  SenderRun withoutDictionary() {
    SenderRun same = new SenderRun(number);
    same.progress = progress;
    same.isReplayed = isReplayed;
    same.lastTime = lastTime;
    same.usedAt = usedAt;
    return same;
  }

  /** Whether the dictionary has not all that a frame says. */
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

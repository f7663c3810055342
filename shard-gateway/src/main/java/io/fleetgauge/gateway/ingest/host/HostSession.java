package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.gateway.ingest.host.BodyJournal.BodyRuns;
import io.fleetgauge.gateway.store.HostPage;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.WriteOutcome;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.RunDictionary;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Decodes the frames of one host's senders and appends their samples to the host's lane. Only the
 * host's lane thread uses it.
 */
final class HostSession {
  /** The run of a record that says that all before it was removed. */
  static final long REMOVAL_RUN = 0x7267_6d6f_7665_6401L;

  private static final Optional<Missing> NOTHING_MISSING = Optional.empty();

  /** A tick that is appended after the host's older samples are back. */
  private record Waiting(Lane.Source source, SenderRuns.Run run, Frame.Tick tick) {}

  /**
   * The result of taking a body.
   *
   * @param answer for the sender; sent after the body is in the journal, where it has to be
   * @param body the body without refused samples, for the journal and for replicas
   * @param runs for its record in the journal
   * @param newest time of the newest sample, ms
   * @param missing ticks that were acknowledged to the sender and that the body showed to be
   *     missing here
   */
  record TakeResult(
      IntakeAnswer answer, byte[] body, BodyRuns runs, long newest, Optional<Missing> missing) {}

  /**
   * Ticks that the body showed to be missing.
   *
   * @param run the sender's
   * @param last the last sequence of them
   * @param after a time before all of them, ms
   * @param before a time after all of them, ms
   */
  record Missing(long run, long last, long after, long before) {}

  /**
   * The result of merging a page of another gateway.
   *
   * @param newest time of the newest sample, ms; {@link Long#MIN_VALUE} when there is none
   * @param isNew whether it had a sample that was not here before
   */
  record MergeResult(long newest, boolean isNew) {}

  private final String host;
  private final Lane lane;
  private final IngestCounts counts;

  private final SenderRuns runs;

  private final SyntheticTicks synthetic = new SyntheticTicks();

  /** Null while ticks need not wait. */
  private List<Waiting> waiting;

  private long waitingBytes;

  /** True if records of the journal still come, so that ticks seem to be missing that are in it. */
  private boolean replaying;

  private long touchedAt;

  /**
   * @param recovering whether ticks wait for older samples from the start on
   * @param clock ms since the epoch
   */
  HostSession(String host, Lane lane, IngestCounts counts, boolean recovering, long clock) {
    this(host, lane, counts, recovering, clock, SenderRuns.Limits.OF_HEAP);
  }

  /** As above, with other limits of the memory that dictionaries take. */
  HostSession(
      String host,
      Lane lane,
      IngestCounts counts,
      boolean recovering,
      long clock,
      SenderRuns.Limits limits) {
    this.touchedAt = clock;
    this.runs = new SenderRuns(limits, counts.dictionaryBytes);
    this.host = host;
    this.lane = lane;
    this.counts = counts;
    this.waiting = recovering ? new ArrayList<>() : null;
    this.replaying = recovering;
  }

  Lane lane() {
    return lane;
  }

  /** Returns true if it has a sample of this time or later, ms. */
  boolean hasSince(long time) {
    return lane.newest() >= time || isWaiting();
  }

  boolean holdsAnything() {
    return !lane.isEmpty() || lane.newest() != Long.MIN_VALUE || isWaiting();
  }

  /**
   * The host's own time: the time of its newest sample plus the time since its last body, ms. It
   * differs from the clock when a host that was disconnected sends samples of hours ago.
   */
  long now(long clock) {
    long newest = lane.newest();
    return newest == Long.MIN_VALUE ? clock : newest + Math.max(0, clock - touchedAt);
  }

  /**
   * Takes the frames of one body, in order.
   *
   * @param latest the latest time that is not refused, ms
   * @param acknowledged the last sequence of the run that was acknowledged to its sender
   */
  TakeResult take(byte[] body, long clock, long latest, long acknowledged) {
    touchedAt = clock;
    WriteOutcome outcome = new WriteOutcome();
    SenderTicks ticks = new SenderTicks(acknowledged);
    TakeResult taken = decode(body, latest, true, outcome, ticks);
    outcome.addTo(lane.counts());
    return new TakeResult(taken.answer, taken.body, taken.runs, taken.newest, ticks.missing);
  }

  /**
   * Takes a body that the owner of the host has accepted.
   *
   * @return the result; a refused body means that owner and replica disagree about the run
   */
  TakeResult copy(byte[] body, long clock) {
    touchedAt = clock;
    WriteOutcome outcome = new WriteOutcome();
    return decode(body, Long.MAX_VALUE, false, outcome, this::applyCopy);
  }

  /**
   * Takes the synthetic ticks of a silent host, which nobody sends again if they are turned away.
   */
  TakeResult takeSynthetic(byte[] frames, long clock, long latest) {
    touchedAt = clock;
    WriteOutcome outcome = new WriteOutcome();
    TakeResult taken = decode(frames, latest, false, outcome, new SenderTicks(0));
    outcome.addTo(lane.counts());
    if (!(taken.answer instanceof IntakeAnswer.Kept)) {
      synthetic.notKept();
    }
    return taken;
  }

  /** A body is turned away, so that its sender comes again. */
  void attempted(long steadyMillis) {
    synthetic.attempted(steadyMillis);
  }

  /** As {@link SyntheticTicks#due}; empty too if no probe sends this host's samples. */
  Optional<byte[]> syntheticTicks(long runNumber, long steadyMillis) {
    List<SyntheticTicks.Probe> probes = new ArrayList<>();
    for (SenderRuns.Run run : runs.all()) {
      if (SyntheticTicks.isProbe(run.ofProbe)) {
        probes.add(new SyntheticTicks.Probe(run.handles, run.ofProbe));
      }
    }
    return probes.isEmpty()
        ? Optional.empty()
        : synthetic.due(host, lane, probes, runNumber, steadyMillis);
  }

  /** Finds out which samples of a body would be refused, and keeps nothing. */
  IntakeAnswer check(byte[] body, long latest) {
    return decode(
            body,
            latest,
            true,
            new WriteOutcome(),
            (run, tick, until, outcome) -> {
              if (waiting == null) {
                lane.check(
                    tick.time(),
                    until,
                    handles(run, tick),
                    tick.values(),
                    tick.histograms(),
                    outcome);
              }
            })
        .answer();
  }

  /** Uses a decoded tick. */
  private interface TickSink {
    void accept(SenderRuns.Run run, Frame.Tick tick, long latest, WriteOutcome outcome);
  }

  /**
   * @param ofSender whether a sender sent the body, not the owner of the host
   */
  private TakeResult decode(
      byte[] body, long latest, boolean ofSender, WriteOutcome outcome, TickSink sink) {
    FrameDecoder decoder = new FrameDecoder(body);
    WireWriter accepted = null;
    BodyRuns inBody = new BodyRuns(host);
    Set<SenderRuns.Run> used = new HashSet<>();
    IntakeAnswer answer = new IntakeAnswer.Refused("the body holds no tick");
    SenderRuns.Run last = null;
    long lastRun = 0;
    long lastSequence = 0;
    long newest = Long.MIN_VALUE;
    boolean whole = false;
    try {
      while (decoder.hasNext()) {
        int from = decoder.position();
        Frame frame = decoder.next();
        if (!frame.host().equals(host)) {
          throw new WireException(
              "a frame of host " + frame.host() + " was sent to the address of host " + host);
        }
        SenderRuns.Run run = runs.get(frame.run(), touchedAt);
        if (!run.dictionary.covers(frame)) {
          counts.dictionariesWanted.increment();
          return new TakeResult(
              new IntakeAnswer.NeedsDictionary(frame.run()), body, inBody, newest, NOTHING_MISSING);
        }
        if (ofSender && run.grows(frame) && !runs.mayGrow()) {
          counts.memoryShort.increment();
          return new TakeResult(
              new IntakeAnswer.SlowDown(AdmissionControl.FULL_RETRY_MILLIS),
              body,
              inBody,
              newest,
              NOTHING_MISSING);
        }
        if (used.add(run) && ofSender && used.size() > SenderRuns.MAX_RUNS) {
          throw new WireException(
              "a request body has frames of more than " + SenderRuns.MAX_RUNS + " runs");
        }
        learn(run, frame);
        runs.measure(run);
        inBody.add(run.inJournal, frame);
        if (frame instanceof Frame.Tick tick) {
          outcome.nextTick();
          sink.accept(run, tick, latest, outcome);
          if (outcome.leavesOutAny() && accepted == null) {
            accepted = new WireWriter(body.length).raw(body, 0, from);
          }
          last = run;
          lastRun = frame.run();
          newest = Math.max(newest, tick.time());
          lastSequence = tick.sequence();
        }
        if (accepted != null) {
          writeAccepted(frame, outcome, body, from, decoder.position(), accepted);
        }
      }
      whole = true;
    } catch (WireException e) {
      counts.framesRefused.increment();
      answer = new IntakeAnswer.Refused(e.getMessage());
    }
    if (whole && last != null) {
      answer =
          new IntakeAnswer.Kept(
              lastRun,
              Math.max(lastSequence, last.progress.kept()),
              outcome.refused(),
              outcome.overLimit(),
              outcome.refusal());
    }
    byte[] kept = accepted == null ? body : accepted.toBytes();
    return new TakeResult(answer, kept, inBody, newest, NOTHING_MISSING);
  }

  /** Writes a frame without its refused samples. Its label sets stay. */
  private static void writeAccepted(
      Frame frame, WriteOutcome outcome, byte[] body, int from, int to, WireWriter out) {
    if (!(frame instanceof Frame.Tick tick) || !outcome.leavesOutAny()) {
      out.raw(body, from, to - from);
      return;
    }
    int[] left = IntStream.range(0, tick.ids().length).filter(i -> !outcome.leavesOut(i)).toArray();
    Histogram[] histograms = tick.histograms();
    byte[] rest =
        FrameEncoder.encode(
            new Frame.Tick(
                tick.host(),
                tick.run(),
                tick.sequence(),
                tick.time(),
                tick.additions(),
                IntStream.of(left).map(i -> tick.ids()[i]).toArray(),
                IntStream.of(left).mapToDouble(i -> tick.values()[i]).toArray(),
                histograms == null
                    ? null
                    : IntStream.of(left).mapToObj(i -> histograms[i]).toArray(Histogram[]::new)));
    out.raw(rest, 0, rest.length);
  }

  private void learn(SenderRuns.Run run, Frame frame) throws WireException {
    run.dictionary.add(frame);
    while (run.handles.size() < run.dictionary.size()) {
      Lane.Handle handle = lane.handle(run.dictionary.series(run.handles.size()));
      if (SyntheticTicks.isOwn(handle.labels())) {
        run.ofProbe.add(handle);
      }
      run.handles.add(handle);
    }
  }

  /** Appends what a sender sends, and finds out what it shows to be missing. */
  private final class SenderTicks implements TickSink {
    private final long acknowledged;
    private SenderRuns.Run first;
    private Optional<Missing> missing = NOTHING_MISSING;

    SenderTicks(long acknowledged) {
      this.acknowledged = acknowledged;
    }

    @Override
    public void accept(SenderRuns.Run run, Frame.Tick tick, long latest, WriteOutcome outcome) {
      counts.framesKept.increment();
      first = first == null ? run : first;
      // The acknowledged sequence is that of the first run of a body.
      long known = run == first ? acknowledged : 0;
      long last = run.progress.lastMissing(tick.sequence(), known);
      if (last > 0) {
        missing =
            Optional.of(
                new Missing(
                    run.number,
                    last,
                    // The sender's clock may have been set back in between.
                    Math.min(run.lastTime, tick.time()),
                    Math.max(run.lastTime, tick.time())));
      }
      run.came(tick, known);
      append(Lane.Source.SENDER, run, tick, latest, outcome);
    }
  }

  private void applyCopy(SenderRuns.Run run, Frame.Tick tick, long latest, WriteOutcome outcome) {
    counts.framesCopied.increment();
    run.came(tick, 0);
    append(Lane.Source.JOURNAL, run, tick, latest, outcome);
  }

  private void append(
      Lane.Source source, SenderRuns.Run run, Frame.Tick tick, long latest, WriteOutcome outcome) {
    if (waiting != null) {
      waiting.add(new Waiting(source, run, tick));
      waitingBytes += 64 + 12L * tick.ids().length;
    } else {
      write(source, run, tick, latest, outcome);
    }
  }

  private void write(
      Lane.Source source, SenderRuns.Run run, Frame.Tick tick, long latest, WriteOutcome outcome) {
    lane.append(
        source,
        run.isDerived,
        tick.time(),
        latest,
        handles(run, tick),
        tick.values(),
        tick.histograms(),
        outcome);
  }

  /** The series of a tick; the next tick of the run takes the same array. */
  private static Lane.Handle[] handles(SenderRuns.Run run, Frame.Tick tick) {
    int[] ids = tick.ids();
    if (run.ofTick.length != ids.length) {
      run.ofTick = new Lane.Handle[ids.length];
    }
    Lane.Handle[] handles = run.ofTick;
    for (int i = 0; i < handles.length; i++) {
      handles[i] = run.handles.get(ids[i]);
    }
    return handles;
  }

  /** Approximate bytes of the ticks that wait for older samples. */
  long waitingBytes() {
    return waitingBytes;
  }

  /**
   * Replays a record of the journal.
   *
   * @throws WireException if it cannot be decoded
   */
  HostIntake.ReplayedRecord replay(byte[] record) throws WireException {
    FrameDecoder decoder = new FrameDecoder(record);
    WriteOutcome outcome = new WriteOutcome();
    long newest = Long.MIN_VALUE;
    while (decoder.hasNext()) {
      Frame frame = decoder.next();
      if (frame.run() == HostPage.RUN) {
        return new HostIntake.ReplayedRecord(merge(record).newest(), false);
      }
      if (frame.run() == REMOVAL_RUN) {
        return new HostIntake.ReplayedRecord(newest, true);
      }
      SenderRuns.Run run = runs.get(frame.run(), touchedAt);
      if (!run.dictionary.covers(frame)) {
        throw new WireException("the dictionary of its run is not in the journal any more");
      }
      learn(run, frame);
      runs.measure(run);
      if (frame instanceof Frame.Tick tick) {
        write(Lane.Source.JOURNAL, run, tick, Long.MAX_VALUE, outcome);
        run.replayed(tick);
        newest = Math.max(newest, tick.time());
        counts.ticksReplayed.increment();
      }
    }
    return new HostIntake.ReplayedRecord(newest, false);
  }

  boolean isReplaying() {
    return replaying;
  }

  /** The whole journal has been read. */
  void endReplay() {
    replaying = false;
  }

  /** From now on ticks wait, because older samples are being fetched. */
  void await() {
    if (waiting == null) {
      waiting = new ArrayList<>();
    }
  }

  /** Returns true if ticks wait, so that the lane does not have all samples that were taken. */
  boolean isWaiting() {
    return waiting != null;
  }

  /** The last time before the oldest waiting tick, ms; {@link Long#MAX_VALUE} when none waits. */
  long before() {
    long first = Long.MAX_VALUE;
    if (waiting != null) {
      for (Waiting each : waiting) {
        first = Math.min(first, each.tick.time() - 1);
      }
    }
    return first;
  }

  /** The older samples are back: appends the ticks that waited. */
  void recovered(long latest) {
    if (waiting == null) {
      return;
    }
    List<Waiting> ticks = waiting;
    waiting = null;
    waitingBytes = 0;
    WriteOutcome outcome = new WriteOutcome();
    for (Waiting each : ticks) {
      append(each.source, each.run, each.tick, latest, outcome);
    }
    outcome.addTo(lane.counts());
  }

  /** The dictionary of a run; empty for an unknown run. */
  byte[] dictionary(long run) {
    return runs.find(run).map(known -> known.dictionary.encode(host, run)).orElse(new byte[0]);
  }

  /** By run, which of its ticks are here. */
  Map<Long, RunProgress> progress() {
    Map<Long, RunProgress> progress = new LinkedHashMap<>();
    runs.all().forEach(run -> progress.put(run.number, run.progress));
    return progress;
  }

  /** Does without dictionaries that are not in use, if those of this gateway take much memory. */
  void trimDictionaries(long clock) {
    if (!replaying) { // records rely on the dictionaries of those before them
      runs.trim(clock);
    }
  }

  /** The session is used no more. */
  void close() {
    runs.close();
  }

  /** Returns true if ticks are missing here that were acknowledged to their sender. */
  boolean isMissingTicks() {
    return runs.all().stream().anyMatch(run -> !run.progress.missing().isEmpty());
  }

  /** Returns true if there may be ticks that are not here. */
  boolean mayMissTicks() {
    return runs.all().stream().anyMatch(run -> !run.progress.unproven().isEmpty());
  }

  /** All that another gateway had of these runs has been fetched. */
  void fetched(Map<Long, RunProgress> there) {
    there.forEach(
        (number, progress) -> {
          SenderRuns.Run run = runs.get(number, touchedAt);
          run.progress = run.progress.with(progress);
        });
  }

  /**
   * Merges a page of samples of another gateway, which has its own dictionary. The samples go to
   * the lane at once, before the ticks that wait.
   *
   * @return the newest time, and whether a sample was new
   * @throws WireException if it cannot be decoded
   */
  MergeResult merge(byte[] page) throws WireException {
    SenderRuns.Run own = new SenderRuns.Run(HostPage.RUN, new RunDictionary(Long.MAX_VALUE));
    FrameDecoder decoder = new FrameDecoder(page);
    WriteOutcome outcome = new WriteOutcome();
    long newest = Long.MIN_VALUE;
    while (decoder.hasNext()) {
      Frame frame = decoder.next();
      learn(own, frame);
      if (frame instanceof Frame.Tick tick) {
        newest = Math.max(newest, tick.time());
        write(Lane.Source.JOURNAL, own, tick, Long.MAX_VALUE, outcome);
      }
    }
    outcome.addTo(lane.counts());
    return new MergeResult(newest, outcome.added() > 0);
  }
}

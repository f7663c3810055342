package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.gateway.store.HostPage;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Outcome;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.RunDictionary;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What is known of one host's senders. Only the host's lane thread uses it. */
final class HostSession {
  /** A probe has one run at a time; each gateway that takes remote writes for the host has one. */
  private static final int MAX_RUNS = 32;

  private static final class Run {
    final RunDictionary dictionary = new RunDictionary();
    final List<Lane.Handle> handles = new ArrayList<>();
    long kept;

    // What of the dictionary the journal's segment has.
    long segment = -1;
    int journaledSymbols;
    int journaledSeries;

    // What of the dictionary the body at hand builds on.
    int neededSymbols;
    int neededSeries;
    boolean beganInBody;

    boolean isCovered(long journalSegment) {
      return segment == journalSegment
          ? neededSymbols <= journaledSymbols && neededSeries <= journaledSeries
          : beganInBody;
    }
  }

  /** A tick that waits for the ones before it. */
  private record Waiting(Lane.Source source, Run run, Frame.Tick tick) {}

  /**
   * What became of a body.
   *
   * @param answer what the sender is told, once the journal has the body if it has to
   * @param body what of the body was let in: what journal and copies get
   * @param newest time of the newest sample, ms
   * @param missing whether the sender was told that ticks are kept which are not here
   */
  record Taken(IntakeAnswer answer, byte[] body, long newest, boolean missing) {}

  /**
   * What became of a page of another gateway.
   *
   * @param newest time of the newest sample, ms; {@link Long#MIN_VALUE} when there is none
   * @param isNew whether it had a sample that was not here before
   */
  record Merged(long newest, boolean isNew) {}

  private final String host;
  private final Lane lane;
  private final IngestCounts counts;

  /** The runs of the body at hand. */
  private final Map<Long, Run> inBody = new LinkedHashMap<>();

  private final Map<Long, Run> runs =
      new LinkedHashMap<>(8, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Run> eldest) {
          return size() > MAX_RUNS;
        }
      };

  /** Null once the history is back. */
  private List<Waiting> waiting;

  private long waitingBytes;
  private long touchedAt;

  /**
   * @param recovering whether ticks wait for the history
   * @param clock ms since the epoch
   */
  HostSession(String host, Lane lane, IngestCounts counts, boolean recovering, long clock) {
    this.touchedAt = clock;
    this.host = host;
    this.lane = lane;
    this.counts = counts;
    this.waiting = recovering ? new ArrayList<>() : null;
  }

  Lane lane() {
    return lane;
  }

  /**
   * What time it is at the host: its newest sample's, and it goes on with the clock when the host
   * sends nothing. Not the clock's time: a host that was cut off sends what is hours old first.
   */
  long now(long clock) {
    long newest = lane.newest();
    return newest == Long.MIN_VALUE ? clock : newest + Math.max(0, clock - touchedAt);
  }

  /**
   * Takes the frames of one body, in order.
   *
   * @param latest the latest time that is not refused, ms
   * @param acknowledged the sequence up to which the sender of the run was told that it is kept
   */
  Taken take(byte[] body, long clock, long latest, long acknowledged) {
    touchedAt = clock;
    Outcome outcome = new Outcome();
    Taken taken = decode(body, latest, acknowledged, outcome, this::apply);
    outcome.addTo(lane.counts());
    return taken;
  }

  /**
   * Takes what the owner of the host has let in.
   *
   * @return what became of it; a body that is refused shows that the owner's memory is another
   */
  Taken copy(byte[] body, long clock) {
    touchedAt = clock;
    Outcome outcome = new Outcome();
    return decode(body, Long.MAX_VALUE, 0, outcome, this::applyCopy);
  }

  /** Finds out what of a body would be refused, and keeps nothing. */
  IntakeAnswer check(byte[] body, long latest) {
    return decode(
            body,
            latest,
            0,
            new Outcome(),
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

  /** Does something with a tick. */
  private interface TickSink {
    void accept(Run run, Frame.Tick tick, long latest, Outcome outcome);
  }

  private Taken decode(
      byte[] body, long latest, long acknowledged, Outcome outcome, TickSink sink) {
    FrameDecoder decoder = new FrameDecoder(body);
    WireWriter letIn = null;
    boolean missing = false;
    inBody.clear();
    IntakeAnswer answer = new IntakeAnswer.Refused("the body holds no tick");
    Run last = null;
    long lastRun = 0;
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
        Run run = runs.computeIfAbsent(frame.run(), number -> new Run());
        if (!run.dictionary.covers(frame)) {
          counts.dictionariesWanted.increment();
          return new Taken(new IntakeAnswer.NeedsDictionary(frame.run()), body, newest, missing);
        }
        if (inBody.putIfAbsent(frame.run(), run) == null) {
          run.beganInBody = run.dictionary.size() == 0;
          run.neededSymbols = frame.additions().knownSymbols();
          run.neededSeries = frame.additions().knownSeries();
        }
        learn(run, frame);
        if (frame instanceof Frame.Tick tick) {
          missing |= last == null && acknowledged > run.kept;
          outcome.nextTick();
          sink.accept(run, tick, latest, outcome);
          if (outcome.leavesOutAny() && letIn == null) {
            letIn = new WireWriter(body.length).raw(body, 0, from);
          }
          last = run;
          lastRun = frame.run();
          newest = Math.max(newest, tick.time());
          run.kept = Math.max(run.kept, tick.sequence());
        }
        if (letIn != null) {
          handOn(frame, outcome, body, from, decoder.position(), letIn);
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
              lastRun, last.kept, outcome.refused(), outcome.overLimit(), outcome.refusal());
    }
    return new Taken(answer, letIn == null ? body : letIn.toBytes(), newest, missing);
  }

  /** Writes a frame without the samples that were not let in; its label sets stay. */
  private static void handOn(
      Frame frame, Outcome outcome, byte[] body, int from, int to, WireWriter out) {
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

  private void learn(Run run, Frame frame) throws WireException {
    run.dictionary.add(frame);
    while (run.handles.size() < run.dictionary.size()) {
      run.handles.add(lane.handle(run.dictionary.series(run.handles.size())));
    }
  }

  private void apply(Run run, Frame.Tick tick, long latest, Outcome outcome) {
    counts.framesKept.increment();
    append(Lane.Source.SENDER, run, tick, latest, outcome);
  }

  private void applyCopy(Run run, Frame.Tick tick, long latest, Outcome outcome) {
    counts.framesCopied.increment();
    append(Lane.Source.JOURNAL, run, tick, latest, outcome);
  }

  private void append(Lane.Source source, Run run, Frame.Tick tick, long latest, Outcome outcome) {
    if (waiting != null) {
      waiting.add(new Waiting(source, run, tick));
      waitingBytes += 64 + 12L * tick.ids().length;
    } else {
      lane.append(
          source,
          tick.time(),
          latest,
          handles(run, tick),
          tick.values(),
          tick.histograms(),
          outcome);
    }
  }

  private static Lane.Handle[] handles(Run run, Frame.Tick tick) {
    Lane.Handle[] handles = new Lane.Handle[tick.ids().length];
    for (int i = 0; i < handles.length; i++) {
      handles[i] = run.handles.get(tick.ids()[i]);
    }
    return handles;
  }

  /** Bytes of the ticks that wait for the history, about. */
  long waitingBytes() {
    return waitingBytes;
  }

  /**
   * The body that was just taken, as the journal's segment needs it: behind the dictionaries of its
   * runs, where the segment does not have what they build on.
   */
  byte[] record(byte[] body, long segment) {
    WireWriter record = null;
    for (var each : inBody.entrySet()) {
      if (!each.getValue().isCovered(segment)) {
        record = record == null ? new WireWriter(2 * body.length) : record;
        byte[] dictionary = each.getValue().dictionary.encode(host, each.getKey());
        record.raw(dictionary, 0, dictionary.length);
      }
    }
    return record == null ? body : record.raw(body, 0, body.length).toBytes();
  }

  /** Remembers that the journal's segment has the runs of the body up to what is known now. */
  void journaled(long segment) {
    for (Run run : inBody.values()) {
      run.segment = segment;
      run.journaledSymbols = run.dictionary.symbolCount();
      run.journaledSeries = run.dictionary.size();
    }
  }

  /**
   * Takes a record of the journal in.
   *
   * @return time of its newest sample, ms; {@link Long#MIN_VALUE} when it has none
   * @throws WireException if it cannot be understood
   */
  long replay(byte[] record) throws WireException {
    FrameDecoder decoder = new FrameDecoder(record);
    Outcome outcome = new Outcome();
    long newest = Long.MIN_VALUE;
    while (decoder.hasNext()) {
      Frame frame = decoder.next();
      if (frame.run() == HostPage.RUN) {
        return merge(record).newest();
      }
      Run run = runs.computeIfAbsent(frame.run(), number -> new Run());
      if (!run.dictionary.covers(frame)) {
        throw new WireException("the dictionary of its run is not in the journal any more");
      }
      learn(run, frame);
      if (frame instanceof Frame.Tick tick) {
        lane.append(
            Lane.Source.JOURNAL,
            tick.time(),
            Long.MAX_VALUE,
            handles(run, tick),
            tick.values(),
            tick.histograms(),
            outcome);
        run.kept = Math.max(run.kept, tick.sequence());
        newest = Math.max(newest, tick.time());
        counts.ticksReplayed.increment();
      }
    }
    return newest;
  }

  /** From now on ticks wait for history that is on its way. */
  void await() {
    if (waiting == null) {
      waiting = new ArrayList<>();
    }
  }

  /** Whether ticks wait for history, so that what is in the lane is not all there is. */
  boolean isWaiting() {
    return waiting != null;
  }

  /** The last time before the first tick that waits, ms; the greatest there is when none does. */
  long before() {
    long first = Long.MAX_VALUE;
    if (waiting != null) {
      for (Waiting each : waiting) {
        first = Math.min(first, each.tick.time() - 1);
      }
    }
    return first;
  }

  /** The history is back: what waited for it goes behind it. */
  void recovered(long latest) {
    if (waiting == null) {
      return;
    }
    List<Waiting> ticks = waiting;
    waiting = null;
    waitingBytes = 0;
    Outcome outcome = new Outcome();
    for (Waiting each : ticks) {
      append(each.source, each.run, each.tick, latest, outcome);
    }
    outcome.addTo(lane.counts());
  }

  /** The dictionary of a run; empty when the run is not known. */
  byte[] dictionary(long run) {
    Run known = runs.get(run);
    return known == null ? new byte[0] : known.dictionary.encode(host, run);
  }

  /** Up to which sequence the ticks of each run are here. */
  Map<Long, Long> kept() {
    Map<Long, Long> kept = new LinkedHashMap<>();
    runs.forEach((number, run) -> kept.put(number, run.kept));
    return kept;
  }

  /** Another holder has the ticks of these runs up to these sequences, and they are here now. */
  void keptElsewhere(Map<Long, Long> kept) {
    kept.forEach(
        (number, sequence) -> {
          Run run = runs.computeIfAbsent(number, none -> new Run());
          run.kept = Math.max(run.kept, sequence);
        });
  }

  /**
   * Takes samples in that another gateway has: a page that says all of itself. They go to the lane
   * at once, before what waits.
   *
   * @return the newest time, and whether anything was not here before
   * @throws WireException if it cannot be understood
   */
  Merged merge(byte[] page) throws WireException {
    Run own = new Run();
    FrameDecoder decoder = new FrameDecoder(page);
    Outcome outcome = new Outcome();
    long newest = Long.MIN_VALUE;
    while (decoder.hasNext()) {
      Frame frame = decoder.next();
      learn(own, frame);
      if (frame instanceof Frame.Tick tick) {
        newest = Math.max(newest, tick.time());
        lane.append(
            Lane.Source.JOURNAL,
            tick.time(),
            Long.MAX_VALUE,
            handles(own, tick),
            tick.values(),
            tick.histograms(),
            outcome);
      }
    }
    outcome.addTo(lane.counts());
    return new Merged(newest, outcome.added() > 0);
  }
}

package io.fleetgauge.gateway.ingest;

import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Outcome;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.RunDictionary;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
  private record Waiting(Run run, Frame.Tick tick) {}

  /**
   * What became of a body.
   *
   * @param answer what the sender is told, once the journal has the body if it has to
   * @param newest time of the newest sample, ms
   */
  record Taken(IntakeAnswer answer, long newest) {}

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
   */
  Taken take(byte[] body, long clock, long latest) {
    touchedAt = clock;
    Outcome outcome = new Outcome();
    Taken taken = decode(body, latest, outcome, this::apply);
    outcome.addTo(lane.counts());
    return taken;
  }

  /** Finds out what of a body would be refused, and keeps nothing. */
  IntakeAnswer check(byte[] body, long latest) {
    return decode(
            body,
            latest,
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

  private Taken decode(byte[] body, long latest, Outcome outcome, TickSink sink) {
    FrameDecoder decoder = new FrameDecoder(body);
    inBody.clear();
    IntakeAnswer answer = new IntakeAnswer.Refused("the body holds no tick");
    Run last = null;
    long lastRun = 0;
    long newest = Long.MIN_VALUE;
    boolean whole = false;
    try {
      while (decoder.hasNext()) {
        Frame frame = decoder.next();
        if (!frame.host().equals(host)) {
          throw new WireException(
              "a frame of host " + frame.host() + " was sent to the address of host " + host);
        }
        Run run = runs.computeIfAbsent(frame.run(), number -> new Run());
        if (!run.dictionary.covers(frame)) {
          counts.dictionariesWanted.increment();
          return new Taken(new IntakeAnswer.NeedsDictionary(frame.run()), newest);
        }
        if (inBody.putIfAbsent(frame.run(), run) == null) {
          run.beganInBody = run.dictionary.size() == 0;
          run.neededSymbols = frame.additions().knownSymbols();
          run.neededSeries = frame.additions().knownSeries();
        }
        learn(run, frame);
        if (frame instanceof Frame.Tick tick) {
          sink.accept(run, tick, latest, outcome);
          last = run;
          lastRun = frame.run();
          newest = Math.max(newest, tick.time());
          run.kept = Math.max(run.kept, tick.sequence());
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
    return new Taken(answer, newest);
  }

  private void learn(Run run, Frame frame) throws WireException {
    run.dictionary.add(frame);
    while (run.handles.size() < run.dictionary.size()) {
      run.handles.add(lane.handle(run.dictionary.series(run.handles.size())));
    }
  }

  private void apply(Run run, Frame.Tick tick, long latest, Outcome outcome) {
    counts.framesKept.increment();
    if (waiting != null) {
      waiting.add(new Waiting(run, tick));
      waitingBytes += 64 + 12L * tick.ids().length;
    } else {
      lane.append(
          Lane.Source.SENDER,
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

  /** The history is back: what waited for it goes behind it. */
  void recovered(long latest) {
    List<Waiting> ticks = waiting;
    waiting = null;
    waitingBytes = 0;
    Outcome outcome = new Outcome();
    for (Waiting each : ticks) {
      counts.framesKept.decrement(); // it is counted when it was taken
      apply(each.run, each.tick, latest, outcome);
    }
    outcome.addTo(lane.counts());
  }
}

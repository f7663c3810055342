package io.fleetgauge.gateway.ingest;

import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.RunDictionary;
import io.fleetgauge.sample.wire.WireException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is known of one host's probe. Only the host's lane thread uses it. */
final class HostSession {
  /** A probe has one run at a time; the one before may still be on its way. */
  private static final int MAX_RUNS = 2;

  private static final class Run {
    final RunDictionary dictionary = new RunDictionary();
    final List<Lane.Handle> handles = new ArrayList<>();
    long kept;
  }

  private final String host;
  private final Lane lane;
  private final IngestCounts counts;
  private final Map<Long, Run> runs =
      new LinkedHashMap<>(8, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Run> eldest) {
          return size() > MAX_RUNS;
        }
      };

  HostSession(String host, Lane lane, IngestCounts counts) {
    this.host = host;
    this.lane = lane;
    this.counts = counts;
  }

  /** Time of the host's newest sample, ms; {@link Long#MIN_VALUE} when there is none. */
  long newest() {
    return lane.newest();
  }

  /** Takes the frames of one body, in order. */
  IntakeAnswer take(byte[] body) {
    FrameDecoder decoder = new FrameDecoder(body);
    IntakeAnswer.Kept kept = null;
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
          return new IntakeAnswer.NeedsDictionary(frame.run());
        }
        run.dictionary.add(frame);
        while (run.handles.size() < run.dictionary.size()) {
          run.handles.add(lane.handle(run.dictionary.series(run.handles.size())));
        }
        if (frame instanceof Frame.Tick tick) {
          take(run, tick);
          kept = new IntakeAnswer.Kept(frame.run(), run.kept);
        }
      }
    } catch (WireException e) {
      counts.framesRefused.increment();
      return new IntakeAnswer.Refused(e.getMessage());
    }
    return kept == null ? new IntakeAnswer.Refused("the body holds no tick") : kept;
  }

  private void take(Run run, Frame.Tick tick) {
    if (tick.sequence() <= run.kept) {
      counts.framesRepeated.increment();
      return;
    }
    Lane.Handle[] handles = new Lane.Handle[tick.ids().length];
    for (int i = 0; i < handles.length; i++) {
      handles[i] = run.handles.get(tick.ids()[i]);
    }
    lane.append(tick.time(), handles, tick.values(), tick.histograms());
    run.kept = tick.sequence();
    counts.framesKept.increment();
  }
}

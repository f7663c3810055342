package io.fleetgauge.load.judge;

import io.fleetgauge.load.nodes.PlayedNode;
import io.fleetgauge.load.nodes.Trace;
import io.fleetgauge.query.faults.detect.Thresholds;
import io.fleetgauge.query.faults.engine.FaultEngine;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.OwnerLabels;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Plays a trace to the engine, tick by tick, and keeps what it tells. */
final class TracePlay {
  private static final Set<String> METRICS = Set.copyOf(Signal.metrics());

  private final Trace trace;
  private final Map<String, Told> told = new LinkedHashMap<>();
  private final Map<String, Integer> begun = new HashMap<>();
  private FaultEngine engine;

  /** Samples from a time before a takeover, which are looked at again after it. */
  private final Deque<Sent> sent = new ArrayDeque<>();

  /** What comes when. */
  private record Sent(long time, String host, List<Series> samples) {}

  /**
   * An episode as it was told last.
   *
   * @param toldAt the step at which it was told first, ms since the epoch
   */
  record Told(Episode episode, long toldAt) {}

  /** Changes to the way in which the samples of a trace come. */
  interface Delivery {
    /** All of them at once. */
    Delivery AT_ONCE = (host, time) -> time;

    /** When the samples of a time come, ms since the epoch. */
    long arrival(String host, long time);
  }

  TracePlay(Trace trace) {
    this.trace = trace;
    this.engine = engine();
  }

  private static FaultEngine engine() {
    return new FaultEngine(Thresholds.defaults(), OwnerLabels.KNOWN);
  }

  /** Plays the whole trace. */
  List<Told> play() throws InterruptedException {
    return play(Delivery.AT_ONCE, Long.MAX_VALUE, 0);
  }

  /**
   * Plays the whole trace.
   *
   * @param takeover when another process takes over, ms since the epoch
   * @param warmUp so much of before is looked at again then, ms
   */
  List<Told> play(Delivery delivery, long takeover, long warmUp) throws InterruptedException {
    Map<String, Deque<Sent>> waiting = new HashMap<>();
    List<PlayedNode> nodes = trace.nodes();
    boolean isTakenOver = false;
    for (long time = trace.start(); time < trace.end(); time += trace.tick()) {
      if (time >= takeover && !isTakenOver) {
        isTakenOver = true;
        takeOver(time - trace.tick());
      }
      for (PlayedNode node : nodes) {
        Deque<Sent> queue = waiting.computeIfAbsent(node.hostname(), none -> new ArrayDeque<>());
        Optional<Tick> tick = node.tick(time);
        if (tick.isPresent()) {
          queue.add(new Sent(time, node.hostname(), series(tick.get())));
        }
        while (!queue.isEmpty()
            && delivery.arrival(node.hostname(), queue.getFirst().time) <= time) {
          Sent next = queue.removeFirst();
          engine.feed(next.host, next.samples);
          if (takeover != Long.MAX_VALUE && !isTakenOver && time >= takeover - warmUp) {
            sent.add(next);
          }
        }
      }
      engine.at(time);
      take(time);
    }
    return List.copyOf(told.values());
  }

  /** How often an episode was told as one that has begun, or is open again. */
  Map<String, Integer> begun() {
    return begun;
  }

  private void take(long time) {
    for (Episode each : engine.changes()) {
      Told before = told.get(each.id());
      if (each.isOpen() && (before == null || !before.episode.isOpen())) {
        begun.merge(each.id(), 1, Integer::sum);
      }
      told.put(each.id(), new Told(each, before == null ? time : before.toldAt));
    }
  }

  private void takeOver(long time) {
    engine = engine();
    engine.restore(told.values().stream().map(Told::episode).toList(), time);
    while (!sent.isEmpty()) {
      long step = sent.getFirst().time;
      while (!sent.isEmpty() && sent.getFirst().time <= step) {
        Sent next = sent.removeFirst();
        engine.feed(next.host, next.samples);
      }
      engine.at(step);
    }
    take(time);
  }

  private static List<Series> series(Tick tick) {
    List<Series> all = new ArrayList<>(tick.size());
    long[] times = {tick.time()};
    for (int i = 0; i < tick.size(); i++) {
      if (METRICS.contains(tick.series().get(i).metric())
          && (tick.histograms() == null || tick.histograms()[i] == null)) {
        all.add(new Series(tick.series().get(i), times, new double[] {tick.values()[i]}));
      }
    }
    return all;
  }
}

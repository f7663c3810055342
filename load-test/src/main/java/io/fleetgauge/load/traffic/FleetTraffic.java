package io.fleetgauge.load.traffic;

import io.fleetgauge.load.traffic.Bodies.Body;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The samples of a fleet as requests, in one or both of the forms in which they come; both have the
 * same samples. Hours of them are made as a backlog, further ticks one at a time. It remembers how
 * many there were, and all samples of its last host. Not for several threads.
 */
public final class FleetTraffic {
  /** Samples of a remote write of a backlog. */
  private static final int WRITE_SAMPLES = 2_000;

  /** Ticks of a request of frames of a backlog: ten minutes. */
  private static final int FRAME_TICKS = 40;

  /** Forms in which samples are sent. */
  public enum Form {
    FRAMES,
    REMOTE_WRITE
  }

  private final GpuFleet fleet;
  private final int senders;
  private final Map<Form, List<Bodies>> bodies = new EnumMap<>(Form.class);
  private final long firstTime;
  private final List<Tick> lastHost = new ArrayList<>();
  private long nextTime;
  private long samples;
  private int backlogs;

  /**
   * @param senders over which a backlog is spread
   * @param firstTime of the first tick, ms since the epoch
   */
  public FleetTraffic(GpuFleet fleet, Set<Form> forms, int senders, long firstTime) {
    this.fleet = fleet;
    this.senders = senders;
    this.firstTime = firstTime;
    this.nextTime = firstTime;
    for (Form form : forms) {
      List<Bodies> each = new ArrayList<>();
      for (int i = 0; i < senders; i++) {
        each.add(
            form == Form.FRAMES
                ? new Bodies.Frames(FRAME_TICKS)
                : new Bodies.Writes(WRITE_SAMPLES));
      }
      bodies.put(form, each);
    }
  }

  public GpuFleet fleet() {
    return fleet;
  }

  public long firstTime() {
    return firstTime;
  }

  /** The time of the next tick, if hosts go on as they did, ms since the epoch. */
  public long nextTime() {
    return nextTime;
  }

  /** Samples so far, without staleness markers. */
  public long samples() {
    return samples;
  }

  /** All ticks of the last host so far. */
  public List<Tick> lastHost() {
    return lastHost;
  }

  /** Makes the next ticks of all hosts. */
  public Map<Form, Backlog> backlog(Path folder, int ticks) throws IOException {
    long before = samples;
    Map<Form, Backlog.Writer> writers = new EnumMap<>(Form.class);
    backlogs++;
    try {
      for (Form form : bodies.keySet()) {
        writers.put(
            form, new Backlog.Writer(folder.resolve("backlog-" + backlogs + "-" + form), senders));
      }
      for (int i = 0; i < ticks; i++, nextTime += GpuFleet.TICK) {
        for (int host = 0; host < fleet.size(); host++) {
          Tick tick = next(host, nextTime);
          int sender = host % senders;
          for (var writer : writers.entrySet()) {
            Bodies each = bodies.get(writer.getKey()).get(sender);
            each.add(host, tick, body -> writer.getValue().add(sender, tick.time(), body));
          }
        }
      }
      for (var writer : writers.entrySet()) {
        for (int i = 0; i < senders; i++) {
          int sender = i;
          bodies
              .get(writer.getKey())
              .get(sender)
              .flush(body -> writer.getValue().add(sender, nextTime - GpuFleet.TICK, body));
        }
      }
    } finally {
      for (Backlog.Writer writer : writers.values()) {
        writer.close();
      }
    }
    Map<Form, Backlog> made = new EnumMap<>(Form.class);
    writers.forEach((form, writer) -> made.put(form, writer.backlog(samples - before)));
    return made;
  }

  /** Makes the next tick of a host, in all forms. */
  public Map<Form, Body> tick(int host, long time) {
    Tick tick = next(host, time);
    nextTime = Math.max(nextTime, time + GpuFleet.TICK);
    Map<Form, Body> made = new EnumMap<>(Form.class);
    bodies.forEach(
        (form, all) -> {
          Bodies each = all.get(host % senders);
          each.add(host, tick, body -> made.put(form, body));
          each.flush(body -> made.put(form, body));
        });
    return made;
  }

  private Tick next(int host, long time) {
    Tick tick = fleet.next(host, time);
    for (double value : tick.values()) {
      samples += Staleness.isMarker(value) ? 0 : 1;
    }
    if (host == fleet.size() - 1) {
      lastHost.add(tick);
    }
    return tick;
  }
}

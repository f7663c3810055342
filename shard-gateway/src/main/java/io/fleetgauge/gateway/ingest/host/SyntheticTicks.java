package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The samples that an owner writes in the place of a silent probe: a marker where each of its
 * series should have had its second sample after the last one, and 0 for {@code up} at every tick,
 * or, for an exporter that the probe scrapes less often, where it would have been scraped. They
 * have the times that true samples would have, so that one that comes after all replaces them and
 * nothing of them is left. Only the host's lane thread uses it.
 */
public final class SyntheticTicks {
  /** The series by which a probe is known. Its value is the time between two ticks, s. */
  public static final String TICK = "probe_tick_seconds";

  private static final String UP = "up";

  /** A series without a sample for so long has ended for every query, ms. */
  private static final long LOOKBACK_MILLIS = TimeUnit.MINUTES.toMillis(5);

  private static final int MOST_AT_ONCE = 100;

  /** The longest time between two ticks that is believed, s: senders may send any number. */
  private static final double MAX_TICK_SECONDS = TimeUnit.HOURS.toSeconds(1);

  /**
   * A run of a probe.
   *
   * @param all every series of it
   * @param own those of {@link #TICK} and {@code up}
   */
  public record Probe(List<Lane.Handle> all, List<Lane.Handle> own) {}

  /** Returns true if a series tells how a probe does. */
  public static boolean isOwn(Labels series) {
    String metric = series.metric();
    return metric.equals(TICK) || metric.equals(UP);
  }

  /** Returns true if a run with these series of that kind is a probe's. */
  public static boolean isProbe(List<Lane.Handle> own) {
    for (Lane.Handle handle : own) {
      if (handle.labels().metric().equals(TICK)) {
        return true;
      }
    }
    return false;
  }

  private final ProbeStaleness staleness = new ProbeStaleness();
  private final SampleReader reader = new SampleReader();
  private long tickMillis;
  private FrameEncoder run;
  private long runOf = Long.MIN_VALUE;

  /** As {@link ProbeStaleness#attempted}. */
  public void attempted(long steadyMillis) {
    staleness.attempted(steadyMillis);
  }

  /**
   * The frames that are due.
   *
   * @param probes the probe's runs
   * @param runNumber of the frames, where they begin a new run
   * @return frames to be taken in like those of a sender
   */
  public Optional<byte[]> due(
      String host, Lane lane, List<Probe> probes, long runNumber, long steadyMillis) {
    long newest = newest(lane, probes);
    if (newest == Long.MIN_VALUE) {
      return Optional.empty();
    }
    OptionalLong upTo = staleness.timePassed(newest, tickMillis, steadyMillis);
    if (upTo.isEmpty()) {
      return Optional.empty();
    }
    TreeMap<Long, Tick.Builder> ticks = new TreeMap<>();
    Set<Labels> seen = new HashSet<>();
    for (Probe probe : probes) {
      for (Lane.Handle handle : probe.all()) {
        if (seen.add(handle.labels())) {
          add(lane, handle, upTo.getAsLong(), ticks);
        }
      }
    }
    if (ticks.isEmpty()) {
      return Optional.empty();
    }
    if (run == null || runOf != newest) {
      run = new FrameEncoder(host, runNumber);
      runOf = newest;
    }
    WireWriter frames = new WireWriter(4096);
    ticks.forEach(
        (time, tick) -> {
          byte[] frame = run.encode(tick.at(time));
          frames.raw(frame, 0, frame.length);
        });
    return Optional.of(frames.toBytes());
  }

  /** Notes that the frames that were due were not kept: the next ones tell their series again. */
  public void notKept() {
    run = null;
  }

  private void add(Lane lane, Lane.Handle handle, long upTo, TreeMap<Long, Tick.Builder> ticks) {
    boolean isUp = handle.labels().metric().equals(UP);
    if (!isUp) {
      long end = lane.missedTwiceAt(handle, tickMillis, LOOKBACK_MILLIS, reader);
      if (end <= upTo) {
        at(end, ticks).add(handle.labels(), Staleness.MARKER);
      }
      return;
    }
    Optional<Lane.Newest> last = lane.newestOf(handle);
    if (last.isPresent() && !Staleness.isMarker(last.get().value())) {
      // A target that the probe scrapes has its own times.
      long period = lane.shortestGap(handle, tickMillis, LOOKBACK_MILLIS, reader);
      long time = last.get().time() + (last.get().value() == 0 ? 1 : 2) * period;
      // Negative too if the last sample is from so long ago that the difference overflows.
      if (upTo - time < 0 || period > LOOKBACK_MILLIS) {
        return;
      }
      long tooMany = (upTo - time) / period - MOST_AT_ONCE;
      time += Math.max(0, tooMany) * period;
      for (; time <= upTo; time += period) {
        at(time, ticks).add(handle.labels(), 0);
      }
    }
  }

  private static Tick.Builder at(long time, TreeMap<Long, Tick.Builder> ticks) {
    return ticks.computeIfAbsent(time, none -> new Tick.Builder());
  }

  /** The newest tick of the probe. After a start while it is silent, the last synthetic one. */
  private long newest(Lane lane, List<Probe> probes) {
    long newest = Long.MIN_VALUE;
    long lastSynthetic = Long.MIN_VALUE;
    boolean hasEnded = false;
    for (Probe probe : probes) {
      for (Lane.Handle handle : probe.own()) {
        String metric = handle.labels().metric();
        Optional<Lane.Newest> last = lane.newestOf(handle);
        if (last.isEmpty()) {
          continue;
        }
        double value = last.get().value();
        if (!metric.equals(TICK)) {
          lastSynthetic = Math.max(lastSynthetic, last.get().time());
        } else if (Staleness.isMarker(value)) {
          hasEnded = true;
          lastSynthetic = Math.max(lastSynthetic, last.get().time());
        } else if (value > 0 && value <= MAX_TICK_SECONDS && last.get().time() > newest) {
          newest = last.get().time();
          tickMillis = Math.max(1, Math.round(value * 1000));
        }
      }
    }
    if (newest != Long.MIN_VALUE) {
      return newest;
    }
    if (!hasEnded) {
      return Long.MIN_VALUE;
    }
    if (staleness.isKnown()) {
      return staleness.lastTick();
    }
    tickMillis = lane.tickMillis();
    return lastSynthetic;
  }
}

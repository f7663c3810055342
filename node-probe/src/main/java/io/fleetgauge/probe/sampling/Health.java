package io.fleetgauge.probe.sampling;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Series of a probe about itself in every tick: what Prometheus would know of it as a target, and
 * how each reader does. Only the sampling thread uses it.
 */
final class Health {
  private static final double NANOS = 1e9;

  /** The series of one reader. */
  private record OfReader(Labels up, Labels duration, Labels age) {
    OfReader(String reader) {
      this(
          labels("probe_reader_up", reader),
          labels("probe_reader_duration_seconds", reader),
          labels("probe_reader_age_seconds", reader));
    }

    private static Labels labels(String metric, String reader) {
      return Labels.of(Labels.NAME, metric, "reader", reader);
    }
  }

  private final TargetSeries target;
  private final Labels tickSeconds = Labels.of(Labels.NAME, "probe_tick_seconds");
  private final List<OfReader> ofReaders = new ArrayList<>();
  private final List<SampledReader> sources;
  private final Duration tick;

  /**
   * @param job value of the label {@code job} of what Prometheus knows of a target
   */
  Health(String job, List<SampledReader> sources, Duration tick) {
    this.target = new TargetSeries(Labels.of("job", job));
    this.sources = sources;
    this.tick = tick;
    sources.forEach(source -> ofReaders.add(new OfReader(source.name())));
  }

  /**
   * @param nanos how long the tick took until now
   */
  Tick read(long time, long nanos, TickAssembly.Counts counts) {
    Tick.Builder health = new Tick.Builder();
    target.add(health, true, nanos / NANOS, counts.read(), counts.kept(), counts.added());
    health.add(tickSeconds, tick.toMillis() / 1000.0);
    for (int i = 0; i < ofReaders.size(); i++) {
      OfReader series = ofReaders.get(i);
      SampledReader source = sources.get(i);
      health.add(series.up, source.isUp() ? 1 : 0);
      if (source.hasRead()) {
        health.add(series.duration, source.lastNanos() / NANOS);
        health.add(series.age, Math.max(0, time - source.lastRead()) / 1000.0);
      }
    }
    return health.at(time);
  }
}

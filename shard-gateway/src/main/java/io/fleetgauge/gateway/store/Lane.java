package io.fleetgauge.gateway.store;

import io.fleetgauge.promql.syntax.Matcher;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** One host's samples. One thread at a time writes; any thread reads. */
public final class Lane {
  /** How much time of samples passes between two looks for series that have expired. */
  private static final long SWEEP_MILLIS = 60_000;

  private final StoreLimits limits;
  private final StoreCounts counts;
  private final LongSupplier clock;
  private final Map<Labels, StoredSeries> byLabels = new HashMap<>();
  // Replaced as one when series are forgotten, so that a reader sees either state whole.
  private volatile Index index = new Index();
  // Written behind the samples of its tick, so that whoever reads it may read them.
  private volatile long newest = Long.MIN_VALUE;
  private long sweptAt = Long.MIN_VALUE;

  private static final class Index {
    final SeriesList all = new SeriesList();
    final Map<String, SeriesList> byMetric = new ConcurrentHashMap<>();

    void add(StoredSeries series) {
      all.add(series);
      byMetric.computeIfAbsent(series.labels.metric(), name -> new SeriesList()).add(series);
    }
  }

  /** A writer's hold on a series, so that it is looked up once and not for each sample. */
  public static final class Handle {
    private StoredSeries series;
    private final Labels labels;

    private Handle(Labels labels) {
      this.labels = labels;
    }
  }

  Lane(StoreLimits limits, StoreCounts counts, LongSupplier clock) {
    this.limits = limits;
    this.counts = counts;
    this.clock = clock;
  }

  public Handle handle(Labels labels) {
    return new Handle(labels);
  }

  /**
   * Appends one tick. Writer only.
   *
   * @param time ms since the epoch
   * @param handles the series
   * @param values one for each of {@code handles}
   * @param histograms null when there are none; else null where a number stands
   */
  public void append(long time, Handle[] handles, double[] values, Histogram[] histograms) {
    if (time > clock.getAsLong() + limits.future().toMillis()) {
      counts.future.add(values.length);
      return;
    }
    for (int i = 0; i < handles.length; i++) {
      StoredSeries series = open(handles[i]);
      if (series == null) {
        counts.overLimit.increment();
      } else {
        append(series, time, values[i], histograms == null ? null : histograms[i]);
      }
    }
    if (time > newest) {
      newest = time;
      if (time - SWEEP_MILLIS > sweptAt) {
        sweptAt = time;
        forgetExpired();
      }
    }
  }

  private void append(StoredSeries series, long time, double value, Histogram histogram) {
    long last = series.newest();
    if (time > last) {
      series.append(time, value, histogram, keepFrom());
      counts.stored.increment();
    } else if (time < last) {
      counts.outOfOrder.increment();
    } else if (series.newestIs(value, histogram)) {
      counts.repeated.increment();
    } else {
      counts.conflicting.increment();
    }
  }

  private StoredSeries open(Handle handle) {
    if (handle.series == null || handle.series.closed) {
      handle.series = byLabels.get(handle.labels);
      if (handle.series == null && byLabels.size() < limits.maxSeriesPerHost()) {
        handle.series = new StoredSeries(handle.labels);
        byLabels.put(handle.labels, handle.series);
        index.add(handle.series);
      }
    }
    return handle.series;
  }

  private long keepFrom() {
    // One above the least, so that "before it" is still a time.
    return newest == Long.MIN_VALUE ? newest + 1 : newest - limits.retention().toMillis();
  }

  private void forgetExpired() {
    long keepFrom = keepFrom();
    boolean any =
        byLabels
            .values()
            .removeIf(
                series -> {
                  series.closed = series.newest() < keepFrom;
                  return series.closed;
                });
    if (any) {
      Index left = new Index();
      for (StoredSeries series : index.all.snapshot()) {
        if (!series.closed) {
          left.add(series);
        }
      }
      index = left;
    }
  }

  /** Time of the newest sample, ms; {@link Long#MIN_VALUE} when there is none. */
  public long newest() {
    return newest;
  }

  int seriesCount() {
    return index.all.size();
  }

  /** Every series that all matchers match. */
  void forEach(List<Matcher> matchers, SeriesVisitor visitor) throws TooManySamples {
    Index now = index;
    SeriesList candidates = now.all;
    for (Matcher matcher : matchers) {
      if (matcher.kind() == Matcher.Kind.EQUAL
          && matcher.name().equals(Labels.NAME)
          && !matcher.value().isEmpty()) {
        candidates = now.byMetric.get(matcher.value());
        break;
      }
    }
    if (candidates == null) {
      return;
    }
    for (StoredSeries series : candidates.snapshot()) {
      if (matches(matchers, series.labels)) {
        visitor.visit(series);
      }
    }
  }

  private static boolean matches(List<Matcher> matchers, Labels labels) {
    for (Matcher matcher : matchers) {
      if (!matcher.matches(labels)) {
        return false;
      }
    }
    return true;
  }

  /** Takes series in turn. */
  interface SeriesVisitor {
    void visit(StoredSeries series) throws TooManySamples;
  }
}

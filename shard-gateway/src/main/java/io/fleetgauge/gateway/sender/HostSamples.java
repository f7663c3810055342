package io.fleetgauge.gateway.sender;

import io.fleetgauge.gateway.sender.TimeRanges.Range;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Samples of hosts as one receiver gets them. Safe for all threads. */
final class HostSamples {
  private static final long SLOT = 1_000;

  /** As Prometheus writes the end of a series of histograms. */
  private static final Histogram MARKER =
      new Histogram(
          0,
          Histogram.ResetHint.UNKNOWN,
          0,
          Staleness.MARKER,
          0,
          0,
          Histogram.Buckets.NONE,
          Histogram.Buckets.NONE,
          new double[0]);

  private final Store store;
  private final SenderSettings settings;
  private final HostRollups rollups;

  /**
   * Samples that were read.
   *
   * @param series each once, with the labels that the receiver gets
   * @param isComplete false if some could not be read
   */
  record Read(List<Series> series, boolean isComplete) {}

  HostSamples(Store store, SenderSettings settings) {
    this.store = store;
    this.settings = settings;
    this.rollups = new HostRollups(store);
  }

  /** The samples of a range. */
  Read read(String host, Range range) throws TooManySamples, QueryFailure {
    return read(host, range, Optional.empty());
  }

  /** Samples that came late. */
  Read read(String host, LateSeries late) throws TooManySamples, QueryFailure {
    return read(host, late.range(), Optional.of(late));
  }

  private Read read(String host, Range range, Optional<LateSeries> only)
      throws TooManySamples, QueryFailure {
    List<Matcher> matchers = settings.match().size() == 1 ? settings.match().getFirst() : List.of();
    AtomicBoolean isComplete = new AtomicBoolean(true);
    List<Series> all =
        store.select(
            List.of(host),
            new Selection(matchers, range.after(), range.to()),
            Long.MAX_VALUE,
            incomplete -> isComplete.set(false),
            StopCheck.NEVER);
    if (only.isPresent()) {
      all = all.stream().map(each -> only(each, only.get())).toList();
    } else if (settings.hasRollups()) {
      all.addAll(rollups.read(host, range)); // once: a late sample does not change what was sent
    }
    return new Read(named(all), isComplete.get());
  }

  private Series only(Series all, LateSeries late) {
    Labels identity = identity(all.labels());
    int size = 0;
    long[] times = new long[all.size()];
    double[] values = new double[all.size()];
    Histogram[] histograms = all.histograms() == null ? null : new Histogram[all.size()];
    for (int i = 0; i < all.size(); i++) {
      if (late.has(all.times()[i], identity)) {
        times[size] = all.times()[i];
        values[size] = all.values()[i];
        if (histograms != null) {
          histograms[size] = all.histograms()[i];
        }
        size++;
      }
    }
    return part(new Series(all.labels(), times, values, histograms), 0, size);
  }

  /** The labels by which a late sample is found. */
  private Labels identity(Labels labels) {
    return identity(store.dimensions(), labels);
  }

  /** A series without its owner. */
  static Labels identity(Dimensions dimensions, Labels labels) {
    return dimensions.apply(labels) ? dimensions.identity(labels) : labels;
  }

  /**
   * The start of a second with a sample, or which may have one.
   *
   * @return above the end of the range if it has no sample
   */
  long next(String host, Range in) {
    return store.nextSlot(host, Math.floorDiv(in.after() + 1, SLOT) * SLOT, in.to() + 1, SLOT);
  }

  /** Series with the labels that the receiver gets, without those that it does not get. */
  private List<Series> named(List<Series> all) {
    TreeMap<Labels, List<Series>> named = new TreeMap<>();
    for (Series each : all) {
      if (each.size() > 0 && isSelected(each.labels())) {
        labels(each.labels())
            .ifPresent(
                labels ->
                    named
                        .computeIfAbsent(labels, none -> new ArrayList<>())
                        .add(new Series(labels, each.times(), each.values(), each.histograms())));
      }
    }
    return named.values().stream().map(HostSamples::union).map(HostSamples::withMarkers).toList();
  }

  /**
   * A series whose markers are histograms where its samples are: of a message, receivers take the
   * numbers of a series before its histograms, which would be out of order then.
   */
  private static Series withMarkers(Series of) {
    if (of.histograms() == null) {
      return of;
    }
    Histogram[] histograms = of.histograms().clone();
    boolean isHistogram = Arrays.stream(histograms).anyMatch(Objects::nonNull);
    for (int i = 0; i < histograms.length; i++) {
      if (isHistogram && histograms[i] == null && Staleness.isMarker(of.values()[i])) {
        histograms[i] = MARKER;
      }
    }
    return new Series(of.labels(), of.times(), of.values(), histograms);
  }

  /** All samples of one series, by halves: many series may get the same labels. */
  private static Series union(List<Series> all) {
    if (all.size() == 1) {
      return all.getFirst();
    }
    int half = all.size() / 2;
    return Series.union(union(all.subList(0, half)), union(all.subList(half, all.size())));
  }

  private boolean isSelected(Labels labels) {
    return settings.match().isEmpty()
        || settings.match().stream()
            .anyMatch(one -> one.stream().allMatch(matcher -> matcher.matches(labels)));
  }

  private Optional<Labels> labels(Labels stored) {
    return settings.relabelling().apply(settings.hasOwners() ? stored : identity(stored));
  }

  /** Series in requests of so many samples at most; a series may be in several, in order. */
  static List<List<Series>> split(List<Series> all, int most) {
    List<List<Series>> requests = new ArrayList<>();
    List<Series> request = new ArrayList<>();
    int size = 0;
    for (Series each : all) {
      for (int from = 0; from < each.size(); ) {
        int to = Math.min(each.size(), from + most - size);
        request.add(part(each, from, to));
        size += to - from;
        from = to;
        if (size == most) {
          requests.add(List.copyOf(request));
          request.clear();
          size = 0;
        }
      }
    }
    if (size > 0) {
      requests.add(List.copyOf(request));
    }
    return requests;
  }

  /** Two requests instead of one with several samples: of some series each, or of some times. */
  static List<List<Series>> halves(List<Series> all) {
    int half = all.size() / 2;
    if (half > 0) {
      return List.of(all.subList(0, half), all.subList(half, all.size()));
    }
    Series one = all.getFirst();
    return List.of(
        List.of(part(one, 0, one.size() / 2)), List.of(part(one, one.size() / 2, one.size())));
  }

  private static Series part(Series of, int from, int to) {
    if (from == 0 && to == of.size()) {
      return of;
    }
    Histogram[] histograms =
        of.histograms() == null ? null : Arrays.copyOfRange(of.histograms(), from, to);
    return new Series(
        of.labels(),
        Arrays.copyOfRange(of.times(), from, to),
        Arrays.copyOfRange(of.values(), from, to),
        histograms);
  }

  static int count(List<Series> of) {
    return of.stream().mapToInt(Series::size).sum();
  }
}

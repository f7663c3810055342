package io.fleetgauge.gateway.sender;

import io.fleetgauge.gateway.sender.SentProgress.Range;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Samples of hosts as one receiver gets them. Safe for all threads. */
final class HostSamples {
  private final Store store;
  private final SenderSettings settings;

  HostSamples(Store store, SenderSettings settings) {
    this.store = store;
    this.settings = settings;
  }

  /** The samples of a range, each series once. */
  List<Series> read(String host, Range range) throws TooManySamples, QueryFailure {
    List<Matcher> matchers = settings.match().size() == 1 ? settings.match().getFirst() : List.of();
    List<Series> all =
        store.select(
            List.of(host),
            new Selection(matchers, range.after(), range.to()),
            Long.MAX_VALUE,
            none -> {},
            StopCheck.NEVER);
    return named(all);
  }

  /** Series with the names that the receiver gets, without those that it does not get. */
  List<Series> named(List<Series> all) {
    TreeMap<Labels, Series> named = new TreeMap<>();
    for (Series each : all) {
      if (each.size() > 0 && isSelected(each.labels())) {
        labels(each.labels())
            .ifPresent(
                labels ->
                    named.merge(
                        labels,
                        new Series(labels, each.times(), each.values(), each.histograms()),
                        Series::union));
      }
    }
    return List.copyOf(named.values());
  }

  private boolean isSelected(Labels labels) {
    return settings.match().isEmpty()
        || settings.match().stream()
            .anyMatch(one -> one.stream().allMatch(matcher -> matcher.matches(labels)));
  }

  private Optional<Labels> labels(Labels stored) {
    Dimensions dimensions = store.dimensions();
    Labels sent =
        settings.hasOwners() || !dimensions.apply(stored) ? stored : dimensions.identity(stored);
    return settings.relabelling().apply(sent);
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

  static int samples(List<Series> of) {
    return of.stream().mapToInt(Series::size).sum();
  }
}

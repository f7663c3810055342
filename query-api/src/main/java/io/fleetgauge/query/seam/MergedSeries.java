package io.fleetgauge.query.seam;

import io.fleetgauge.query.config.SourceSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.frame.HostLabels;
import io.fleetgauge.sample.frame.PseudoHosts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The series of one selection, of the gateways and of stores. They are added in the order in which
 * they count: the gateways', those of each store with older samples, those of each with other
 * series. For one thread.
 */
final class MergedSeries {
  private final HostSeams seams;

  /** The time before which samples are still taken, by host: the oldest that was found, ms. */
  private final Map<String, Long> found = new HashMap<>();

  private final List<Series> all = new ArrayList<>();

  /** Markers at the end of older series, of which some may turn out to be of none. */
  private final List<Series> ends = new ArrayList<>();

  MergedSeries(HostSeams seams) {
    this.seams = seams;
  }

  /**
   * Adds what the gateways have. Of a host that they have not told of yet, such as a new one, the
   * seam is the oldest sample here.
   *
   * @param cut whether a store has what is before the seams
   */
  void addGateways(List<Series> series, HostLabels labels, boolean cut) {
    for (Series each : series) {
      String host = labels.hostOf(each.labels());
      if (cut && seams.has(host)) {
        add(after(each, seams.of(host)));
      } else {
        if (!seams.has(host) && each.size() > 0) {
          found.merge(host, each.times()[0], Math::min);
        }
        add(each);
      }
    }
  }

  /**
   * Adds older samples.
   *
   * @param series in our labels
   */
  void addOlder(List<Series> series, SourceSettings settings) {
    HostLabels labels = new HostLabels(settings.hostLabels());
    if (!settings.hasOwnerLabels()) {
      addOlder(endedByOwned(series, settings.ownerLabels()), labels);
      return;
    }
    addOlder(series, labels);
  }

  /**
   * Series without the labels of owners end where the same series with owners begins at the
   * gateways. They would be seen beside it for the time of the lookback.
   */
  private List<Series> endedByOwned(List<Series> series, List<String> ownerLabels) {
    Map<Labels, Long> begins = new HashMap<>();
    Set<Labels> same = new HashSet<>();
    for (Series each : all) {
      same.add(each.labels());
      Labels base = each.labels();
      for (String name : ownerLabels) {
        base = base.value(name).isEmpty() ? base : base.without(name);
      }
      if (base != each.labels()) {
        begins.merge(base, each.times()[0], Math::min);
      }
    }
    List<Series> ended = new ArrayList<>();
    for (Series each : series) {
      Long begin = begins.get(each.labels());
      if (begin != null && !same.contains(each.labels())) {
        ends.add(new Series(each.labels(), new long[] {begin}, new double[] {Staleness.MARKER}));
      }
      ended.add(each);
    }
    return ended;
  }

  private void addOlder(List<Series> series, HostLabels labels) {
    Map<String, Long> oldest = new HashMap<>();
    for (Series each : series) {
      String host = labels.hostOf(each.labels());
      Series older = before(each, limit(host, each.labels(), labels));
      if (older.size() > 0) {
        oldest.merge(host, older.times()[0], Math::min);
        add(older);
      }
    }
    oldest.forEach((host, time) -> found.merge(host, time, Math::min));
  }

  private long limit(String host, Labels series, HostLabels labels) {
    Long before = found.get(host);
    if (before != null) {
      return before;
    }
    if (seams.has(host)) {
      return seams.of(host);
    }
    boolean isHost = !PseudoHosts.isOne(host) && !series.value(labels.names().getFirst()).isEmpty();
    return isHost ? HostSeams.NEVER : seams.earliest();
  }

  /** Adds series that no other place has. */
  void addOther(List<Series> series) {
    Set<Labels> known = new HashSet<>();
    all.forEach(each -> known.add(each.labels()));
    for (Series each : series) {
      if (!known.contains(each.labels())) {
        add(each);
      }
    }
  }

  private void add(Series series) {
    if (series.size() > 0) {
      all.add(series);
    }
  }

  /** Everything, ordered by label set, each label set once. */
  List<Series> series() {
    Set<Labels> present = new HashSet<>();
    all.forEach(each -> present.add(each.labels()));
    ends.stream().filter(each -> present.contains(each.labels())).forEach(all::add);
    all.sort(Comparator.comparing(Series::labels));
    return Series.joinEqual(all);
  }

  private static Series after(Series series, long from) {
    return series.part(
        Series.firstAfter(series.times(), 0, series.size(), from - 1), series.size());
  }

  private static Series before(Series series, long end) {
    return end == HostSeams.NEVER
        ? series
        : series.part(0, Series.firstAfter(series.times(), 0, series.size(), end - 1));
  }
}

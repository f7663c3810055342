package io.fleetgauge.gateway.store.read;

import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.OwnedSeries;
import io.fleetgauge.promql.lookup.OwnerIntervals;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Utf8Order;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Label sets, names, values and owners of the series that a search selects. */
public record IndexSearch(SeriesSearch asked) {
  /**
   * Names of labels, sorted.
   *
   * @param incomplete receives each host of which something could not be read
   */
  public List<String> names(Collection<HostView> hosts, Consumer<String> incomplete) {
    TreeSet<String> names = new TreeSet<>(Utf8Order::compare);
    visit(
        hosts,
        incomplete,
        labels -> {
          for (int i = 0; i < labels.size(); i++) {
            names.add(labels.name(i));
          }
        });
    return limited(names);
  }

  /** Values of one label, sorted; {@code incomplete} as in {@link #names}. */
  public List<String> values(
      Collection<HostView> hosts, String label, Consumer<String> incomplete) {
    TreeSet<String> values = new TreeSet<>(Utf8Order::compare);
    for (HostView host : hosts) {
      if (asked.matchers().isEmpty() && !host.isDimension(label)) {
        valuesOfIndex(host, label, values, incomplete);
      } else {
        visit(
            List.of(host),
            incomplete,
            labels -> {
              if (!labels.value(label).isEmpty()) {
                values.add(labels.value(label));
              }
            });
      }
    }
    return limited(values);
  }

  private void valuesOfIndex(
      HostView host, String label, TreeSet<String> values, Consumer<String> incomplete) {
    SampleReader reader = new SampleReader();
    host.catalog()
        .values(
            label,
            (value, series) -> {
              if (!values.contains(value)
                  && series.anyMatch(each -> each.hasSampleIn(asked.from(), asked.to(), reader))) {
                values.add(value);
              }
            });
    reportMissing(host, reader, incomplete);
  }

  /** Label sets, sorted; {@code incomplete} as in {@link #names}. */
  public List<Labels> sets(Collection<HostView> hosts, Consumer<String> incomplete) {
    TreeSet<Labels> sets = new TreeSet<>();
    visit(hosts, incomplete, sets::add);
    return limited(sets);
  }

  /**
   * Owners of series as intervals of time; the limit is on series. {@code incomplete} as in {@link
   * #names}.
   */
  public OwnerIntervals owners(Collection<HostView> hosts, Consumer<String> incomplete) {
    List<OwnedSeries> found = new ArrayList<>();
    for (HostView host : hosts) {
      SampleReader reader = new SampleReader();
      found.addAll(new OwnerSearch(this, host, reader).find());
      reportMissing(host, reader, incomplete);
    }
    found.sort(Comparator.comparing(OwnedSeries::identity));
    List<OwnedSeries> limited = limited(found);
    return new OwnerIntervals(limited, found.size() - limited.size());
  }

  /** Every series matches the empty list of matchers. */
  List<List<Matcher>> alternatives() {
    return asked.matchers().isEmpty() ? List.of(List.of()) : asked.matchers();
  }

  private void visit(
      Collection<HostView> hosts, Consumer<String> incomplete, Consumer<Labels> visitor) {
    for (HostView host : hosts) {
      long end = Math.min(asked.to(), host.newest());
      SampleReader reader = new SampleReader();
      for (List<Matcher> each : alternatives()) {
        for (StoredSeries series : host.candidates(each)) {
          OwnerViews.of(series, each, asked.from(), end).labels(series, reader).forEach(visitor);
        }
      }
      reportMissing(host, reader, incomplete);
    }
  }

  private void reportMissing(HostView host, SampleReader reader, Consumer<String> incomplete) {
    long before = Math.max(asked.from(), Long.MIN_VALUE + 1) - 1;
    if (reader.takeDamaged() || host.missing().overlaps(before, asked.to())) {
      incomplete.accept(host.host());
    }
  }

  private <T> List<T> limited(Collection<T> items) {
    return asked.limit() == 0 ? List.copyOf(items) : items.stream().limit(asked.limit()).toList();
  }
}

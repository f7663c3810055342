package io.fleetgauge.gateway.store;

import io.fleetgauge.promql.exec.Selection;
import io.fleetgauge.promql.fragment.Fragment.Search;
import io.fleetgauge.promql.syntax.Matcher;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Utf8Order;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** All hosts of a gateway. Safe for all threads; each lane has one writer. */
public final class Store {
  private final StoreLimits limits;
  private final StoreCounts counts = new StoreCounts();
  private final LongSupplier clock;
  private final Map<String, Lane> lanes = new ConcurrentHashMap<>();

  /**
   * @param clock ms since the epoch
   */
  public Store(StoreLimits limits, LongSupplier clock) {
    this.limits = limits;
    this.clock = clock;
  }

  /** The lane of a host, made when it is not there. */
  public Lane lane(String host) {
    return lanes.computeIfAbsent(host, name -> new Lane(limits, counts, clock));
  }

  /** Drops a host's lane. Only whoever writes it may do so. */
  public void forget(String host) {
    lanes.remove(host);
  }

  public StoreCounts counts() {
    return counts;
  }

  public int hostCount() {
    return lanes.size();
  }

  public long seriesCount() {
    return lanes.values().stream().mapToLong(Lane::seriesCount).sum();
  }

  /**
   * The samples of a selection, ordered by label set.
   *
   * @param hosts whose samples; a host that nothing is kept of has none
   * @param budget most samples
   * @throws TooManySamples if there are more
   */
  public List<Series> select(Collection<String> hosts, Selection selection, long budget)
      throws TooManySamples {
    List<Series> found = new ArrayList<>();
    long[] left = {budget};
    for (Lane lane : lanesOf(hosts)) {
      // A tick that is being written is not seen before it is whole.
      long to = Math.min(selection.to(), lane.newest());
      lane.forEach(
          selection.matchers(),
          series -> {
            Series samples = series.between(selection.from(), to);
            if (samples != null) {
              left[0] -= samples.size();
              if (left[0] < 0) {
                throw new TooManySamples(budget);
              }
              found.add(samples);
            }
          });
    }
    found.sort(Comparator.comparing(Series::labels));
    return found;
  }

  /** Names of labels, sorted. */
  public List<String> labelNames(Collection<String> hosts, Search search) {
    TreeSet<String> names = new TreeSet<>(Utf8Order::compare);
    visit(
        hosts,
        search,
        labels -> {
          for (int i = 0; i < labels.size(); i++) {
            names.add(labels.name(i));
          }
        });
    return limited(names, search.limit());
  }

  /** Values of one label, sorted. */
  public List<String> labelValues(Collection<String> hosts, String label, Search search) {
    TreeSet<String> values = new TreeSet<>(Utf8Order::compare);
    visit(
        hosts,
        search,
        labels -> {
          if (!labels.value(label).isEmpty()) {
            values.add(labels.value(label));
          }
        });
    return limited(values, search.limit());
  }

  /** Label sets, sorted. */
  public List<Labels> labelSets(Collection<String> hosts, Search search) {
    TreeSet<Labels> sets = new TreeSet<>();
    visit(hosts, search, sets::add);
    return limited(sets, search.limit());
  }

  private interface LabelsVisitor {
    void visit(Labels labels);
  }

  private void visit(Collection<String> hosts, Search search, LabelsVisitor visitor) {
    List<List<Matcher>> alternatives =
        search.matchers().isEmpty() ? List.of(List.of()) : search.matchers();
    for (Lane lane : lanesOf(hosts)) {
      for (List<Matcher> matchers : alternatives) {
        try {
          lane.forEach(
              matchers,
              series -> {
                if (series.hasSampleIn(search.from(), search.to())) {
                  visitor.visit(series.labels);
                }
              });
        } catch (TooManySamples e) {
          throw new IllegalStateException("no samples are read here", e);
        }
      }
    }
  }

  private List<Lane> lanesOf(Collection<String> hosts) {
    List<Lane> found = new ArrayList<>();
    for (String host : hosts) {
      Lane lane = lanes.get(host);
      if (lane != null) {
        found.add(lane);
      }
    }
    return found;
  }

  private static <T> List<T> limited(Collection<T> items, int limit) {
    return limit == 0 ? List.copyOf(items) : items.stream().limit(limit).toList();
  }
}

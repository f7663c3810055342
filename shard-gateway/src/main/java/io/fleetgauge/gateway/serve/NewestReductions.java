package io.fleetgauge.gateway.serve;

import com.github.benmanes.caffeine.cache.Cache;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.CacheUse;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.read.NewestSamples;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.ReductionsQuestion;
import io.fleetgauge.promql.lookup.MetricReductions;
import io.fleetgauge.promql.lookup.ReductionNames;
import io.fleetgauge.promql.plan.RollupShape;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The newest samples of the metrics that have rollups, aggregated by groups. Like {@link
 * NewestLines}, it caches series and groups. Safe for all threads.
 */
final class NewestReductions {
  private static final int[] NONE = {};

  /** Groups without a sample that are kept beside as many as there are with one. */
  private static final int SPARE_GROUPS = 1_000;

  private final Store store;
  private final Cache<Asked, Known> known = NewestOfHosts.cache();

  private record Asked(List<List<Matcher>> names, List<Matcher> scope) {}

  /** A group of one metric by some labels. */
  private record Group(String metric, List<String> by, Labels labels) {}

  private static final class Known implements NewestOfHosts.Known {
    private final Asked question;
    private final RollupRules rules;
    private final NewestOfHosts<int[]> hosts;
    private final Map<String, List<List<String>>> wanted = new ConcurrentHashMap<>();
    private final Map<Group, Integer> numbers = new ConcurrentHashMap<>();
    private final List<Group> groups = new ArrayList<>();

    /**
     * Arrays of group numbers, shared: series of a metric on one host are mostly in the same
     * groups.
     */
    private final Map<List<Integer>, int[]> shared = new ConcurrentHashMap<>();

    private volatile Layout layout = Layout.of(List.of());

    Known(Asked question, RollupRules rules) {
      this.question = question;
      this.rules = rules;
      this.hosts = new NewestOfHosts<>(List.of(question.scope), this::groups);
    }

    @Override
    public NewestOfHosts<int[]> hosts() {
      return hosts;
    }

    /** The numbers of the groups of a series. */
    private int[] groups(Labels labels) {
      List<List<String>> bys = wanted.computeIfAbsent(labels.metric(), this::wanted);
      if (bys.isEmpty()) {
        return NONE;
      }
      List<Integer> in = new ArrayList<>(bys.size());
      for (List<String> by : bys) {
        Map<String, String> kept = new TreeMap<>();
        for (String name : by) {
          if (!labels.value(name).isEmpty()) {
            kept.put(name, labels.value(name));
          }
        }
        Group group = new Group(labels.metric(), by, Labels.of(kept));
        in.add(numbers.computeIfAbsent(group, this::number));
      }
      return shared.computeIfAbsent(in, all -> all.stream().mapToInt(Integer::intValue).toArray());
    }

    private List<List<String>> wanted(String metric) {
      RollupRules.OfMetric kept = rules.of(metric);
      boolean latest = kept.keys().stream().anyMatch(key -> key.kind() == RollupShape.Kind.LATEST);
      return latest ? ReductionNames.wanted(metric, kept.labels(), question.names) : List.of();
    }

    private int number(Group group) {
      synchronized (groups) {
        groups.add(group);
        return groups.size() - 1;
      }
    }

    int size() {
      synchronized (groups) {
        return groups.size();
      }
    }

    /** The positions of all groups in an answer. */
    Layout layout() {
      synchronized (groups) {
        if (layout.size != groups.size()) {
          layout = Layout.of(groups);
        }
        return layout;
      }
    }
  }

  /**
   * The positions of groups in an answer: a table for each set of labels, with a column for each
   * metric.
   *
   * @param size number of groups
   */
  private record Layout(int size, List<Table> tables) {
    /**
     * @param numbers by metric and group, the number of the group; -1 if there is none
     */
    record Table(List<String> by, List<Labels> groups, List<String> metrics, int[][] numbers) {}

    static Layout of(List<Group> groups) {
      Map<List<String>, Map<Labels, Map<String, Integer>>> byLabels = new LinkedHashMap<>();
      for (int i = 0; i < groups.size(); i++) {
        Group group = groups.get(i);
        byLabels
            .computeIfAbsent(group.by, none -> new TreeMap<>())
            .computeIfAbsent(group.labels, none -> new HashMap<>())
            .put(group.metric, i);
      }
      List<Table> tables = new ArrayList<>();
      byLabels.forEach(
          (by, found) -> {
            Set<String> metrics = new TreeSet<>();
            found.values().forEach(each -> metrics.addAll(each.keySet()));
            int[][] numbers =
                metrics.stream()
                    .map(
                        metric ->
                            found.values().stream()
                                .mapToInt(each -> each.getOrDefault(metric, -1))
                                .toArray())
                    .toArray(int[][]::new);
            tables.add(new Table(by, List.copyOf(found.keySet()), List.copyOf(metrics), numbers));
          });
      return new Layout(groups.size(), tables);
    }
  }

  NewestReductions(Store store) {
    this.store = store;
  }

  CacheUse use() {
    return CacheUse.of(known);
  }

  List<MetricReductions> run(ReductionsQuestion asked, List<String> covered) {
    Asked question = new Asked(asked.names(), asked.scope());
    Known of = known.get(question, none -> new Known(none, store.rollupRules()));
    List<NewestSamples<int[]>> all = of.hosts.of(store, covered);
    Sums sums = new Sums(of.size());
    for (NewestSamples<int[]> samples : all) {
      samples.read(asked.after(), asked.to(), sums::add);
    }
    if (of.size() > 2 * sums.groups() + SPARE_GROUPS) {
      known.invalidate(question); // mostly groups of jobs that have ended
    } else {
      known.put(question, of);
    }
    return sums.in(of.layout());
  }

  /** The aggregates, by number of the group. */
  private static final class Sums {
    private long[] counts;
    private double[] sums;
    private double[] carries;
    private double[] mins;
    private double[] maxs;
    private long[] newest;

    Sums(int size) {
      counts = new long[size];
      sums = new double[size];
      carries = new double[size];
      mins = new double[size];
      maxs = new double[size];
      newest = new long[size];
    }

    void add(int[] in, long time, double value) {
      for (int group : in) {
        if (group >= counts.length) {
          grow(2 * group + 1); // an owner appeared while samples were read
        }
        if (counts[group]++ == 0) {
          mins[group] = value;
          maxs[group] = value;
          newest[group] = time;
        } else {
          // As in PromQL, any number replaces NaN.
          if (value < mins[group] || Double.isNaN(mins[group])) {
            mins[group] = value;
          }
          if (value > maxs[group] || Double.isNaN(maxs[group])) {
            maxs[group] = value;
          }
          newest[group] = Math.max(newest[group], time);
        }
        double sum = sums[group];
        double next = sum + value;
        carries[group] +=
            Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
        sums[group] = next;
      }
    }

    /** Returns the number of groups with a sample. */
    int groups() {
      int groups = 0;
      for (long count : counts) {
        groups += count > 0 ? 1 : 0;
      }
      return groups;
    }

    private void grow(int size) {
      counts = Arrays.copyOf(counts, size);
      sums = Arrays.copyOf(sums, size);
      carries = Arrays.copyOf(carries, size);
      mins = Arrays.copyOf(mins, size);
      maxs = Arrays.copyOf(maxs, size);
      newest = Arrays.copyOf(newest, size);
    }

    List<MetricReductions> in(Layout layout) {
      if (layout.size > counts.length) {
        grow(layout.size); // other questions added groups
      }
      List<MetricReductions> all = new ArrayList<>();
      for (Layout.Table table : layout.tables) {
        List<MetricReductions.OfMetric> metrics = new ArrayList<>();
        for (int i = 0; i < table.metrics.size(); i++) {
          metrics.add(column(table.metrics.get(i), table.numbers[i]));
        }
        all.add(new MetricReductions(table.by, table.groups, metrics));
      }
      return all;
    }

    private MetricReductions.OfMetric column(String metric, int[] numbers) {
      int size = numbers.length;
      MetricReductions.OfMetric column = MetricReductions.OfMetric.empty(metric, size);
      for (int i = 0; i < size; i++) {
        int at = numbers[i];
        if (at >= 0) {
          column.counts()[i] = counts[at];
          column.sums()[i] = sums[at];
          column.carries()[i] = carries[at];
          column.mins()[i] = mins[at];
          column.maxs()[i] = maxs[at];
          column.newest()[i] = newest[at];
        }
      }
      return column;
    }
  }
}

package io.fleetgauge.gateway.rollup;

import io.fleetgauge.promql.aggregate.ExactSum;
import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.kernel.Reductions;
import io.fleetgauge.promql.kernel.Windows;
import io.fleetgauge.promql.plan.RollupShape;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Computes the pages of a metric's expressions from the samples of a host, one pass over each
 * series. At each step a series counts with the value that an instant selector, or the function of
 * its window, has there. One use.
 */
public final class Reduction {
  private static final int[] NO_FALLS = {};

  private final RollupRules rules;
  private final List<String> labels;
  private final long first;
  private final int steps;
  private final List<OfKey> expressions = new ArrayList<>();
  private final TreeSet<String> names = new TreeSet<>();
  private final double[] column;
  private int[] falls = NO_FALLS;

  /** The labels that were added last: most series have the names of the one before. */
  private Labels before = Labels.EMPTY;

  private boolean hasHistograms;

  /** The groups of one expression. */
  private static final class OfKey {
    final RollupKey key;
    final Map<Labels, Group> groups = new HashMap<>();

    OfKey(RollupKey key) {
      this.key = key;
    }
  }

  private static final class Group {
    final int[] count;
    final ExactSum sum;
    final double[] min;
    final int[] minCount;
    final double[] max;
    final int[] maxCount;

    Group(int steps) {
      count = new int[steps];
      sum = new ExactSum(count);
      min = new double[steps];
      minCount = new int[steps];
      max = new double[steps];
      maxCount = new int[steps];
    }

    void add(double[] column) {
      sum.add(column);
      Reductions.min(column, min, minCount);
      Reductions.max(column, max, maxCount);
    }

    int mostAtOnce() {
      int most = 0;
      for (int each : count) {
        most = Math.max(most, each);
      }
      return most;
    }

    /** Null if a sum needs more than three doubles. */
    RollupPage.Group page(Labels labels, int most) {
      double[][] parts = sum.parts();
      // The smallest and the greatest of a single series are the sum.
      return parts == null
          ? null
          : new RollupPage.Group(
              labels,
              count,
              parts[0],
              parts[1],
              parts[2],
              most == 1 ? parts[0] : min,
              most == 1 ? parts[0] : max);
    }
  }

  /**
   * @param keys the expressions, all of one metric
   * @param labels by which series are grouped
   * @param first the time of the first step, ms
   */
  public Reduction(
      RollupRules rules, List<RollupKey> keys, List<String> labels, long first, int steps) {
    this.rules = rules;
    this.labels = labels;
    this.first = first;
    this.steps = steps;
    this.column = new double[steps];
    keys.forEach(key -> expressions.add(new OfKey(key)));
  }

  /**
   * Adds the samples that one owner of a series has, from one horizon before the first step on. In
   * the order of the labels, so that every gateway makes the same bytes of the same samples.
   */
  public void add(Series series) {
    note(series.labels());
    if (series.histograms() != null) {
      hasHistograms = true;
    }
    if (hasHistograms) {
      return;
    }
    Labels group = series.labels().only(labels);
    Series present = null;
    for (OfKey each : expressions) {
      boolean any;
      if (each.key.kind() == RollupShape.Kind.LATEST) {
        any =
            0
                < Columns.latest(
                    series.times(), series.values(), first, rules.step(), rules.lookback(), column);
      } else {
        if (present == null) {
          present = withoutMarkers(series);
          falls = falls.length < present.size() ? new int[2 * present.size()] : falls;
          Windows.falls(present.values(), present.size(), falls);
        }
        any = windows(each.key, present);
      }
      if (any) {
        each.groups.computeIfAbsent(group, none -> new Group(steps)).add(column);
      }
    }
  }

  private void note(Labels of) {
    boolean same = of.size() == before.size();
    for (int i = 0; i < of.size() && same; i++) {
      same = of.name(i).equals(before.name(i));
    }
    if (!same) {
      for (int i = 0; i < of.size(); i++) {
        names.add(of.name(i));
      }
    }
    before = of;
  }

  private static Series withoutMarkers(Series series) {
    int size = Columns.count(series.values());
    if (size == series.size()) {
      return series;
    }
    long[] times = new long[size];
    double[] values = new double[size];
    int next = 0;
    for (int i = 0; i < series.size(); i++) {
      if (!Columns.isAbsent(series.values()[i])) {
        times[next] = series.times()[i];
        values[next++] = series.values()[i];
      }
    }
    return new Series(series.labels(), times, values);
  }

  /** The rate or increase of a series in the window of each step; whether there is any. */
  private boolean windows(RollupKey key, Series series) {
    long[] times = series.times();
    double[] values = series.values();
    int size = series.size();
    boolean isRate = key.kind() == RollupShape.Kind.RATE;
    boolean any = false;
    int from = 0;
    int to = 0;
    for (int i = 0; i < steps; i++) {
      long end = first + i * rules.step();
      long start = end - key.window();
      while (to < size && times[to] <= end) {
        to++;
      }
      while (from < to && times[from] <= start) {
        from++;
      }
      if (to - from < 2) {
        column[i] = Staleness.MARKER;
      } else {
        column[i] =
            isRate
                ? Windows.rate(times, values, falls, from, to, start, end)
                : Windows.increase(times, values, falls, from, to, start, end);
        any = true;
      }
    }
    return any;
  }

  /**
   * The pages, one for each expression.
   *
   * @return empty for an expression whose values cannot be aggregated exactly, because of
   *     histograms or of numbers that are too large or too far apart
   */
  public List<Optional<RollupPage>> pages() {
    List<String> others =
        names.stream().filter(name -> !name.equals(Labels.NAME) && !labels.contains(name)).toList();
    return expressions.stream().map(each -> page(each, others)).toList();
  }

  private Optional<RollupPage> page(OfKey expression, List<String> others) {
    if (hasHistograms) {
      return Optional.empty();
    }
    List<RollupPage.Group> made = new ArrayList<>(expression.groups.size());
    for (var each : expression.groups.entrySet()) {
      int most = each.getValue().mostAtOnce();
      if (most > 0) {
        made.add(each.getValue().page(each.getKey(), most));
      }
    }
    if (made.stream().anyMatch(each -> each == null)) {
      return Optional.empty();
    }
    made.sort(Comparator.comparing(RollupPage.Group::labels));
    return Optional.of(new RollupPage(first, steps, others, List.copyOf(made)));
  }
}

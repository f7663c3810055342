package io.fleetgauge.promql.function;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * {@code info(v, {matchers})}: gives each series the labels of the info series that shares its
 * instance and job at that step. Info series are those that the matchers of {@code __name__} mean,
 * {@code target_info} when there are none; the other matchers say which of their labels are taken.
 */
public final class InfoJoin {
  private static final String DEFAULT_INFO = "target_info";
  private static final String INFO_NAMES = ".+_info";
  private static final List<String> IDENTIFYING = List.of("instance", "job");

  private final Query query;
  private final int steps;
  private final long start;
  private final long step;
  private final List<Matcher> nameMatchers = new ArrayList<>();
  private final List<Matcher> dataMatchers = new ArrayList<>();
  private final Set<String> wanted = new HashSet<>();
  private final Map<Labels, TreeMap<String, List<Info>>> infos = new HashMap<>();

  /** An info series and the place of its sample at each step. */
  private record Info(Series series, int[] indexes) {
    boolean isPresent(int step) {
      return indexes[step] >= 0 && !Columns.isAbsent(series.values()[indexes[step]]);
    }

    long time(int step) {
      return series.times()[indexes[step]];
    }
  }

  public InfoJoin(Query query, Grid grid, Expr.Call call) {
    this.query = query;
    this.steps = grid.size();
    Expr base = call.arguments().getFirst();
    this.start = lookAt(base, grid.start());
    this.step = grid.size() > 1 ? lookAt(base, grid.time(1)) - start : 0;
    boolean positive = false;
    if (call.arguments().size() > 1) {
      for (Matcher matcher : ((Expr.Selector) call.arguments().get(1)).matchers()) {
        if (matcher.name().equals(Labels.NAME)) {
          nameMatchers.add(matcher);
          positive |= matcher.kind() == Matcher.Kind.EQUAL || matcher.kind() == Matcher.Kind.REGEX;
        } else {
          dataMatchers.add(matcher);
          wanted.add(matcher.name());
        }
      }
    }
    if (nameMatchers.isEmpty()) {
      nameMatchers.add(Matcher.equal(Labels.NAME, DEFAULT_INFO));
    } else if (!positive) {
      nameMatchers.add(Matcher.of(Matcher.Kind.REGEX, Labels.NAME, INFO_NAMES));
    }
  }

  /** The time at which the first selector of an expression is evaluated, through its subqueries. */
  private long lookAt(Expr expr, long time) {
    return switch (expr) {
      case Expr.Selector selector -> Grid.lookAt(query, selector.shift(), time);
      case Expr.Window window -> lookAt(window.selector(), time);
      case Expr.Subquery subquery ->
          lookAt(subquery.input(), Grid.lookAt(query, subquery.shift(), time));
      case Expr.Paren paren -> lookAt(paren.inner(), time);
      case Expr.Unary unary -> lookAt(unary.input(), time);
      case Expr.Aggregate aggregate -> lookAt(aggregate.input(), time);
      case Expr.Binary binary -> {
        long left = lookAt(binary.left(), time);
        yield left != time ? left : lookAt(binary.right(), time);
      }
      case Expr.Call call -> {
        long found = time;
        for (Expr argument : call.arguments()) {
          found = found != time ? found : lookAt(argument, time);
        }
        yield found;
      }
      case Expr.Number number -> time;
      case Expr.Text text -> time;
    };
  }

  /** The info series that this join needs. */
  public Selection selection() {
    List<Matcher> matchers = new ArrayList<>(nameMatchers);
    matchers.addAll(dataMatchers);
    long last = start + (steps - 1) * step;
    return new Selection(
        matchers, Math.min(start, last) - query.settings().lookback(), Math.max(start, last));
  }

  /** Takes the series of {@link #selection}. */
  public void prepare(List<Series> found) throws QueryFailure {
    for (Series series : found) {
      if (series.histograms() != null) {
        throw new QueryFailure(
            QueryFailure.Kind.EXECUTION,
            "info series have numbers for samples, " + series.labels() + " has histograms");
      }
      int[] indexes = new int[steps];
      Columns.latestIndex(series.times(), start, step, query.settings().lookback(), indexes);
      infos
          .computeIfAbsent(series.labels().only(IDENTIFYING), none -> new TreeMap<>())
          .computeIfAbsent(series.labels().metric(), none -> new ArrayList<>())
          .add(new Info(series, indexes));
    }
  }

  /** Joins one column. The result may be several columns, each with some of the steps. */
  public void add(Column column, List<Column> out, Budget budget) throws QueryFailure {
    if (nameMatchers.stream().allMatch(matcher -> matcher.matches(column.labels()))) {
      budget.hold(column.steps());
      out.add(column);
      return;
    }
    Labels key = column.labels().only(IDENTIFYING);
    Map<String, List<Info>> candidates =
        key.isEmpty() ? new TreeMap<>() : infos.getOrDefault(key, new TreeMap<>());
    boolean passesAlone = dataMatchers.stream().allMatch(matcher -> matcher.matches(""));
    Map<Labels, Column> joined = new LinkedHashMap<>();
    for (int i = 0; i < steps; i++) {
      if (!column.isPresent(i)) {
        continue;
      }
      List<Info> partners = partners(candidates, i);
      if (partners.isEmpty() && !passesAlone) {
        continue;
      }
      Labels labels = joined(column.labels(), partners);
      Column target = joined.get(labels);
      if (target == null) {
        budget.hold(steps);
        double[] values = new double[steps];
        Arrays.fill(values, Staleness.MARKER);
        Histogram[] histograms = column.histograms() == null ? null : new Histogram[steps];
        target = new Column(labels, values, histograms, column.nameDropped());
        joined.put(labels, target);
      }
      target.values()[i] = column.values()[i];
      if (target.histograms() != null) {
        target.histograms()[i] = column.histograms()[i];
      }
    }
    out.addAll(joined.values());
  }

  /** The series of each info metric with the newest sample. */
  private static List<Info> partners(Map<String, List<Info>> candidates, int step)
      throws QueryFailure {
    List<Info> partners = new ArrayList<>();
    for (var metric : candidates.entrySet()) {
      Info newest = null;
      for (Info info : metric.getValue()) {
        if (!info.isPresent(step)) {
          continue;
        }
        if (newest != null && newest.time(step) == info.time(step)) {
          throw new QueryFailure(
              QueryFailure.Kind.EXECUTION,
              "found duplicate series for info metric: existing "
                  + newest.series().labels()
                  + ", new "
                  + info.series().labels());
        }
        if (newest == null || info.time(step) > newest.time(step)) {
          newest = info;
        }
      }
      if (newest != null) {
        partners.add(newest);
      }
    }
    return partners;
  }

  private Labels joined(Labels base, List<Info> partners) throws QueryFailure {
    Map<String, String> added = new LinkedHashMap<>();
    for (Info partner : partners) {
      Labels labels = partner.series().labels();
      for (int i = 0; i < labels.size(); i++) {
        String name = labels.name(i);
        boolean skipped =
            name.equals(Labels.NAME)
                || !wanted.isEmpty() && !wanted.contains(name)
                || !base.value(name).isEmpty();
        if (skipped) {
          continue;
        }
        String before = added.putIfAbsent(name, labels.value(i));
        if (before != null && !before.equals(labels.value(i))) {
          throw new QueryFailure(QueryFailure.Kind.EXECUTION, "conflicting label: " + name);
        }
      }
    }
    return base.with(Labels.of(added));
  }
}

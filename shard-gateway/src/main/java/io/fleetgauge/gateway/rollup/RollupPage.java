package io.fleetgauge.gateway.rollup;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Aggregation;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The rollup of one expression for some steps of one host. Immutable.
 *
 * @param first time of the first step, ms
 * @param others labels of the series by which they are not grouped, without the name, sorted
 * @param groups ordered by labels
 */
public record RollupPage(long first, int steps, List<String> others, List<Group> groups) {
  private static final List<Aggregation> OPS =
      List.of(Aggregation.SUM, Aggregation.MIN, Aggregation.MAX);

  /**
   * The rows of one group.
   *
   * @param count number of series at each step
   * @param sum the sum; exact together with {@code carry} and {@code rest}, which are null if all 0
   */
  public record Group(
      Labels labels,
      int[] count,
      double[] sum,
      double[] carry,
      double[] rest,
      double[] min,
      double[] max) {

    /** The rows of numbers that an aggregation needs. */
    double[][] numbers(FoldRows rows) {
      return switch (rows) {
        case SUM -> new double[][] {sum, carry, rest};
        case MIN -> new double[][] {min};
        case MAX -> new double[][] {max};
        case COUNT -> new double[0][];
      };
    }
  }

  /**
   * Computes the page of an expression from samples.
   *
   * @param labels by which series are grouped
   * @param source the samples of one host
   * @return empty if the values cannot be aggregated exactly, because of histograms or of numbers
   *     that are too large or too far apart
   */
  public static Optional<RollupPage> of(
      RollupKey key,
      RollupRules rules,
      List<String> labels,
      long first,
      int steps,
      SeriesSource source) {
    Grid grid = new Grid(first, rules.step(), first + (steps - 1) * rules.step());
    Expr expr = key.expr();
    Query query =
        new Query(
            "",
            expr,
            grid.start(),
            grid.end(),
            grid.step(),
            Query.Settings.STOCK.withLookback(rules.lookback()).withMaxSamples(Long.MAX_VALUE));
    Set<String> names = new HashSet<>();
    SeriesSource noting =
        (selection, receiver) ->
            source.select(
                selection,
                series -> {
                  for (int i = 0; i < series.labels().size(); i++) {
                    names.add(series.labels().name(i));
                  }
                  if (series.histograms() != null) {
                    throw new QueryFailure(QueryFailure.Kind.EXECUTION, "histograms");
                  }
                  receiver.accept(series);
                });
    List<List<Partial>> folds;
    try {
      Optional<List<List<Partial>>> folded =
          Engine.folds(
              query, expr, new Expr.Grouping(false, labels), grid, OPS, noting, StopCheck.NEVER);
      if (folded.isEmpty()) {
        return Optional.empty();
      }
      folds = folded.get();
    } catch (QueryFailure e) {
      return Optional.empty();
    }
    List<Group> groups = new ArrayList<>();
    for (int i = 0; i < folds.getFirst().size(); i++) {
      Partial sum = folds.get(0).get(i);
      groups.add(
          new Group(
              sum.group(),
              sum.count(),
              sum.numbers()[0],
              sum.numbers()[1],
              sum.numbers()[2],
              folds.get(1).get(i).numbers()[0],
              folds.get(2).get(i).numbers()[0]));
    }
    groups.sort(Comparator.comparing(Group::labels));
    names.removeAll(labels);
    names.remove(Labels.NAME);
    return Optional.of(
        new RollupPage(first, steps, List.copyOf(new TreeSet<>(names)), List.copyOf(groups)));
  }

  /** The time one step after the last one, ms. */
  public long end(long step) {
    return first + steps * step;
  }

  /** The steps from index {@code from} on and before index {@code to}. */
  RollupPage slice(int from, int to, long step) {
    List<Group> sliced = new ArrayList<>();
    for (Group group : groups) {
      int[] count = Arrays.copyOfRange(group.count, from, to);
      if (Arrays.stream(count).anyMatch(each -> each > 0)) {
        sliced.add(
            new Group(
                group.labels,
                count,
                Arrays.copyOfRange(group.sum, from, to),
                orNull(group.carry, from, to),
                orNull(group.rest, from, to),
                Arrays.copyOfRange(group.min, from, to),
                Arrays.copyOfRange(group.max, from, to)));
      }
    }
    return new RollupPage(first + from * step, to - from, others, List.copyOf(sliced));
  }

  private static double[] orNull(double[] row, int from, int to) {
    return row == null ? null : Arrays.copyOfRange(row, from, to);
  }

  /** This page and the one that follows it as one page. */
  RollupPage join(RollupPage next) {
    TreeMap<Labels, Group[]> pairs = new TreeMap<>();
    groups.forEach(group -> pairs.computeIfAbsent(group.labels, none -> new Group[2])[0] = group);
    next.groups.forEach(
        group -> pairs.computeIfAbsent(group.labels, none -> new Group[2])[1] = group);
    List<Group> joined = new ArrayList<>(pairs.size());
    for (var pair : pairs.entrySet()) {
      Group a = pair.getValue()[0];
      Group b = pair.getValue()[1];
      int[] count = new int[steps + next.steps];
      if (a != null) {
        System.arraycopy(a.count, 0, count, 0, steps);
      }
      if (b != null) {
        System.arraycopy(b.count, 0, count, steps, next.steps);
      }
      joined.add(
          new Group(
              pair.getKey(),
              count,
              row(a == null ? null : a.sum, b == null ? null : b.sum, next.steps),
              rowOrNull(a == null ? null : a.carry, b == null ? null : b.carry, next.steps),
              rowOrNull(a == null ? null : a.rest, b == null ? null : b.rest, next.steps),
              row(a == null ? null : a.min, b == null ? null : b.min, next.steps),
              row(a == null ? null : a.max, b == null ? null : b.max, next.steps)));
    }
    TreeSet<String> names = new TreeSet<>(others);
    names.addAll(next.others);
    return new RollupPage(first, steps + next.steps, List.copyOf(names), List.copyOf(joined));
  }

  private double[] rowOrNull(double[] a, double[] b, int more) {
    return a == null && b == null ? null : row(a, b, more);
  }

  private double[] row(double[] a, double[] b, int more) {
    double[] row = new double[steps + more];
    if (a != null) {
      System.arraycopy(a, 0, row, 0, steps);
    }
    if (b != null) {
      System.arraycopy(b, 0, row, steps, more);
    }
    return row;
  }

  /** Estimated bytes in memory. */
  public int bytes() {
    int rows = 0;
    for (Group group : groups) {
      rows += group.carry == null ? 3 : 4;
    }
    return 200 + groups.size() * 300 + rows * 8 * steps + groups.size() * 4 * steps;
  }
}

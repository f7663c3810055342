package io.fleetgauge.gateway.rollup;

import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
  /**
   * The rows of one group.
   *
   * @param count number of series at each step
   * @param sum the sum; exact together with {@code carry} and {@code rest}, which are null if all 0
   * @param min the same array as {@code sum} where the group never has more than one series, as
   *     {@code max} is then
   */
  public record Group(
      Labels labels,
      int[] count,
      double[] sum,
      double[] carry,
      double[] rest,
      double[] min,
      double[] max) {

    /** Returns true if it never has more than one series, so that one row holds all its numbers. */
    boolean isSingle() {
      return min == sum && max == sum;
    }

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

  /** The time one step after the last one, ms. */
  public long end(long step) {
    return first + steps * step;
  }

  /** The steps from index {@code from} on and before index {@code to}. */
  public RollupPage slice(int from, int to, long step) {
    if (from == 0 && to == steps) {
      return this;
    }
    List<Group> sliced = new ArrayList<>();
    for (Group group : groups) {
      int[] count = Arrays.copyOfRange(group.count, from, to);
      if (Arrays.stream(count).anyMatch(each -> each > 0)) {
        double[] sum = Arrays.copyOfRange(group.sum, from, to);
        sliced.add(
            new Group(
                group.labels,
                count,
                sum,
                orNull(group.carry, from, to),
                orNull(group.rest, from, to),
                group.isSingle() ? sum : Arrays.copyOfRange(group.min, from, to),
                group.isSingle() ? sum : Arrays.copyOfRange(group.max, from, to)));
      }
    }
    return new RollupPage(first + from * step, to - from, others, List.copyOf(sliced));
  }

  private static double[] orNull(double[] row, int from, int to) {
    return row == null ? null : Arrays.copyOfRange(row, from, to);
  }

  /** This page and the one that follows it as one page. */
  public RollupPage join(RollupPage next) {
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
      double[] sum = row(a == null ? null : a.sum, b == null ? null : b.sum, next.steps);
      boolean single = (a == null || a.isSingle()) && (b == null || b.isSingle());
      joined.add(
          new Group(
              pair.getKey(),
              count,
              sum,
              rowOrNull(a == null ? null : a.carry, b == null ? null : b.carry, next.steps),
              rowOrNull(a == null ? null : a.rest, b == null ? null : b.rest, next.steps),
              single ? sum : row(a == null ? null : a.min, b == null ? null : b.min, next.steps),
              single ? sum : row(a == null ? null : a.max, b == null ? null : b.max, next.steps)));
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
      rows += (group.isSingle() ? 1 : 3) + (group.carry == null ? 0 : 1);
    }
    return 200 + groups.size() * 300 + rows * 8 * steps + groups.size() * 4 * steps;
  }
}

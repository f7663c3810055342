package io.fleetgauge.gateway.rollup;

import io.fleetgauge.promql.kernel.Reductions;
import io.fleetgauge.promql.kernel.Sums;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * Merges the pages of several hosts into one, grouped by some of their labels. Sums are exact, so a
 * fold of the merged page equals the fold of the pages. One use.
 */
public final class PageMerge {
  private final long first;
  private final int steps;
  private final List<String> labels;
  private final UnaryOperator<Labels> interned;
  private final Map<Labels, Into> places = new HashMap<>();
  private final Map<Labels, Into> groups = new TreeMap<>();
  private final TreeSet<String> others = new TreeSet<>();
  private boolean isSpoiled;

  private static final class Into {
    final int[] count;
    final double[] sum;
    final double[] carry;
    final double[] rest;
    final double[][] sums;
    final int[] minCount;
    final double[] min;
    final int[] maxCount;
    final double[] max;

    Into(int steps) {
      count = new int[steps];
      sum = new double[steps];
      carry = new double[steps];
      rest = new double[steps];
      sums = new double[][] {sum, carry, rest};
      minCount = new int[steps];
      min = new double[steps];
      maxCount = new int[steps];
      max = new double[steps];
    }
  }

  /**
   * @param first time of the page's first step, ms
   * @param labels by which the page is grouped
   * @param interned gives one instance for equal labels, so that labels of many pages are compared
   *     by identity
   */
  public PageMerge(
      long first, int steps, Collection<String> labels, UnaryOperator<Labels> interned) {
    this.interned = interned;
    this.first = first;
    this.steps = steps;
    this.labels = List.copyOf(labels);
  }

  /**
   * Adds steps of a page; each is added once.
   *
   * @param from index of the first step in the page
   * @param count number of steps
   * @param at index of the first step in the merged page
   */
  public void add(RollupPage page, int from, int count, int at) {
    others.addAll(page.others());
    for (RollupPage.Group group : page.groups()) {
      Into into =
          places.computeIfAbsent(
              group.labels(),
              all ->
                  groups.computeIfAbsent(
                      interned.apply(all.only(labels)), none -> new Into(steps)));
      int[] counts = group.count();
      double[][] sums = {group.sum(), group.carry(), group.rest()};
      isSpoiled |= count != Sums.addKept(counts, sums, from, 1, count, into.sums, into.count, at);
      Reductions.minKept(counts, group.min(), from, 1, count, into.min, into.minCount, at);
      Reductions.maxKept(counts, group.max(), from, 1, count, into.max, into.maxCount, at);
    }
  }

  /** The merged page; empty if a sum cannot be exact. */
  public Optional<RollupPage> page() {
    if (isSpoiled) {
      return Optional.empty();
    }
    List<RollupPage.Group> made = new ArrayList<>();
    groups.forEach(
        (group, into) ->
            made.add(
                new RollupPage.Group(
                    group,
                    into.count,
                    into.sum,
                    RollupFold.orNull(into.carry),
                    RollupFold.orNull(into.rest),
                    into.min,
                    into.max)));
    return Optional.of(new RollupPage(first, steps, List.copyOf(others), List.copyOf(made)));
  }
}

package io.fleetgauge.gateway.rollup;

import io.fleetgauge.promql.kernel.Reductions;
import io.fleetgauge.promql.kernel.Sums;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Merges pages and partials of several hosts for one aggregation. One use. */
public final class RollupFold {
  private final RollupFit fit;
  private final FoldRows rows;
  private final int steps;
  private final Map<Labels, Into> groups = new LinkedHashMap<>();

  /** The group of the answer for each group of a page; empty if it does not match. */
  private final Map<Labels, Optional<Into>> places = new HashMap<>();

  private long cells;
  private boolean any;

  /** One group of the answer. */
  private static final class Into {
    final int[] count;
    final double[][] numbers;

    Into(int steps, FoldRows rows) {
      count = new int[steps];
      numbers =
          switch (rows) {
            case SUM -> new double[3][steps];
            case MIN, MAX -> new double[1][steps];
            case COUNT -> new double[0][];
          };
    }
  }

  public RollupFold(RollupFit fit, int steps) {
    this.fit = fit;
    this.rows = fit.fold();
    this.steps = steps;
  }

  /**
   * Adds steps of a page.
   *
   * @param from index of the first step in the page
   * @param stride distance between the steps that are added
   * @param at index of the first step in the answer
   * @return whether they could be added; if not, this fold must not be used any more
   */
  public boolean add(RollupPage page, int from, int stride, int count, int at) {
    if (!fit.fits(page)) {
      return false;
    }
    for (RollupPage.Group group : page.groups()) {
      Optional<Into> place = places.get(group.labels());
      if (place == null) {
        place =
            fit.matches(group.labels())
                ? Optional.of(
                    groups.computeIfAbsent(
                        fit.grouped(group.labels()), none -> new Into(steps, rows)))
                : Optional.empty();
        places.put(group.labels(), place);
      }
      if (place.isPresent()) {
        if (!add(group.count(), group.numbers(rows), from, stride, count, place.get(), at)) {
          return false;
        }
        cells += count;
        any = any || hasAny(group.count(), from, stride, count);
      }
    }
    return true;
  }

  private static boolean hasAny(int[] counts, int from, int stride, int cells) {
    for (int i = 0; i < cells; i++) {
      if (counts[from + i * stride] > 0) {
        return true;
      }
    }
    return false;
  }

  /** Adds partials computed from samples, from the step {@code at} on. */
  public boolean add(List<Partial> partials, int at) {
    for (Partial partial : partials) {
      Into into = groups.computeIfAbsent(partial.group(), none -> new Into(steps, rows));
      int count = partial.count().length;
      if (!add(partial.count(), partial.numbers(), 0, 1, count, into, at)) {
        return false;
      }
    }
    return true;
  }

  private boolean add(
      int[] keptCount, double[][] kept, int from, int stride, int cellCount, Into into, int at) {
    switch (rows) {
      case SUM -> {
        return cellCount
            == Sums.addKept(keptCount, kept, from, stride, cellCount, into.numbers, into.count, at);
      }
      case MIN ->
          Reductions.minKept(
              keptCount, kept[0], from, stride, cellCount, into.numbers[0], into.count, at);
      case MAX ->
          Reductions.maxKept(
              keptCount, kept[0], from, stride, cellCount, into.numbers[0], into.count, at);
      case COUNT -> Reductions.countKept(keptCount, from, stride, cellCount, into.count, at);
    }
    return true;
  }

  /** The groups that have a value at some step. */
  public List<Partial> partials() {
    List<Partial> partials = new ArrayList<>();
    groups.forEach(
        (labels, into) -> {
          boolean present = false;
          for (int count : into.count) {
            present |= count > 0;
          }
          if (present) {
            double[][] numbers = into.numbers;
            if (numbers.length == 3) {
              numbers = new double[][] {numbers[0], orNull(numbers[1]), orNull(numbers[2])};
            }
            partials.add(new Partial(labels, labels, false, into.count, numbers));
          }
        });
    return partials;
  }

  static double[] orNull(double[] row) {
    for (double number : row) {
      if (number != 0) {
        return row;
      }
    }
    return null;
  }

  /** The number of cells of pages that were used: one group at one step. */
  public long cells() {
    return cells;
  }

  /** Returns true if any cell of a page had a value. */
  public boolean matchedAny() {
    return any;
  }
}

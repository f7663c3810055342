package io.fleetgauge.gateway.rollup;

import io.fleetgauge.promql.expr.Aggregation;
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

/** Puts pages and partials of several hosts together for one aggregation. One use. */
public final class RollupFold {
  private final RollupFit fit;
  private final Aggregation op;
  private final int steps;
  private final Map<Labels, Into> groups = new LinkedHashMap<>();

  /** Where a page's group goes; nothing for those that do not match. */
  private final Map<Labels, Optional<Into>> places = new HashMap<>();

  private long cells;
  private boolean any;

  /** One group of the answer. */
  private static final class Into {
    final int[] count;
    final double[][] numbers;

    Into(int steps, Aggregation op) {
      count = new int[steps];
      numbers =
          switch (op) {
            case SUM, AVG -> new double[3][steps];
            case MIN, MAX -> new double[1][steps];
            default -> new double[0][];
          };
    }
  }

  public RollupFold(RollupFit fit, int steps) {
    this.fit = fit;
    this.op = fit.aggregate().op();
    this.steps = steps;
  }

  /**
   * Adds steps of a page.
   *
   * @param from the page's first step that is taken
   * @param stride how far apart those that are taken are
   * @param at the step of the answer that it belongs to
   * @return whether it could be added; if not, this fold is spoiled
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
                        fit.grouped(group.labels()), none -> new Into(steps, op)))
                : Optional.empty();
        places.put(group.labels(), place);
      }
      if (place.isPresent()) {
        if (!add(group.count(), group.numbers(op), from, stride, count, place.get(), at)) {
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

  /** Adds what was folded from samples, from the step {@code at} on. */
  public boolean add(List<Partial> partials, int at) {
    for (Partial partial : partials) {
      Into into = groups.computeIfAbsent(partial.group(), none -> new Into(steps, op));
      int count = partial.count().length;
      if (!add(partial.count(), partial.numbers(), 0, 1, count, into, at)) {
        return false;
      }
    }
    return true;
  }

  private boolean add(
      int[] keptCount, double[][] kept, int from, int stride, int cellCount, Into into, int at) {
    switch (op) {
      case SUM, AVG -> {
        double[][] out = into.numbers;
        return cellCount
            == Sums.addKept(
                keptCount, kept, from, stride, cellCount, out[0], out[1], out[2], into.count, at);
      }
      case MIN ->
          Reductions.minKept(
              keptCount, kept[0], from, stride, cellCount, into.numbers[0], into.count, at);
      case MAX ->
          Reductions.maxKept(
              keptCount, kept[0], from, stride, cellCount, into.numbers[0], into.count, at);
      default -> Reductions.countKept(keptCount, from, stride, cellCount, into.count, at);
    }
    return true;
  }

  /** The groups that have a sample at any step. */
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

  /** How many kept cells were taken. */
  public long cells() {
    return cells;
  }

  /** Whether any cell of a page had a value. */
  public boolean matchedAny() {
    return any;
  }
}

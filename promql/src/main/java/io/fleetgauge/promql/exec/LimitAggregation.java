package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.syntax.Aggregation;
import io.fleetgauge.promql.syntax.Expr;
import io.fleetgauge.promql.syntax.Span;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.Numbers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code limitk}, the first k columns of each group in the order in which they come, and {@code
 * limit_ratio}, a share of all columns that their labels decide.
 */
final class LimitAggregation implements Aggregator {
  private final Expr.Aggregate aggregate;
  private final Groups groups;
  private final Annotations annotations;
  private final boolean byCount;
  private final double[] parameter;
  private double[] ratios;
  private long[] limits;
  private final Map<Labels, int[]> taken = new HashMap<>();
  private final List<Column> kept = new ArrayList<>();

  LimitAggregation(
      Expr.Aggregate aggregate, Groups groups, double[] parameter, Annotations annotations) {
    this.aggregate = aggregate;
    this.annotations = annotations;
    this.groups = groups;
    this.byCount = aggregate.op() == Aggregation.LIMITK;
    this.parameter = parameter;
  }

  /** Says which ratios are beyond 1, as far as they go. */
  private void warn() {
    Span span = aggregate.parameter().orElseThrow().span();
    double min = Double.POSITIVE_INFINITY;
    double max = Double.NEGATIVE_INFINITY;
    for (double ratio : parameter) {
      if (!Double.isNaN(ratio)) {
        min = Math.min(min, ratio);
        max = Math.max(max, ratio);
      }
    }
    if (max > 1) {
      annotations.warn(outside(max, 1), span);
    }
    if (min < -1) {
      annotations.warn(outside(min, -1), span);
    }
  }

  private static String outside(double ratio, int capped) {
    return "ratio value should be between -1 and 1, got "
        + Numbers.text(ratio)
        + ", capping to "
        + capped;
  }

  private static double[] ratios(double[] parameter) throws QueryFailure {
    for (double ratio : parameter) {
      if (Double.isNaN(ratio)) {
        throw new QueryFailure(QueryFailure.Kind.EXECUTION, "Ratio value NaN is NaN");
      }
    }
    return parameter;
  }

  /**
   * The parameter of {@code topk} and its like as whole numbers; to be asked once there is a
   * column, because without one nothing is said of it.
   *
   * @throws QueryFailure if one is no number, or out of the range of 64 bits, unless none is at
   *     least 1
   */
  static long[] counts(double[] parameter) throws QueryFailure {
    long[] counts = new long[parameter.length];
    boolean any = false;
    for (double k : parameter) {
      any |= !(k < 1);
    }
    for (int i = 0; i < counts.length && any; i++) {
      if (!(Math.abs(parameter[i]) < 0x1p63)) {
        throw new QueryFailure(
            QueryFailure.Kind.EXECUTION,
            "Scalar value " + Numbers.text(parameter[i]) + " overflows int64");
      }
      counts[i] = (long) parameter[i];
    }
    return counts;
  }

  @Override
  public void add(Column column) throws QueryFailure {
    if (limits == null && ratios == null) {
      limits = byCount ? counts(parameter) : null;
      ratios = byCount ? null : ratios(parameter);
    }
    if (byCount ? limit(column) : share(column)) {
      kept.add(column);
    }
  }

  private boolean limit(Column column) {
    int[] counts = taken.computeIfAbsent(groups.of(column), none -> new int[limits.length]);
    boolean any = false;
    for (int i = 0; i < limits.length; i++) {
      if (column.isPresent(i)) {
        if (counts[i] < limits[i]) {
          counts[i]++;
          any = true;
        } else {
          column.clear(i);
        }
      }
    }
    return any;
  }

  private boolean share(Column column) {
    double place = LabelHash.fraction(column.labels());
    boolean any = false;
    for (int i = 0; i < ratios.length; i++) {
      double ratio = Math.clamp(ratios[i], -1, 1);
      boolean in = ratio >= 0 ? place < ratio : place >= 1 + ratio;
      if (!in) {
        column.clear(i);
      } else {
        any |= column.isPresent(i);
      }
    }
    return any;
  }

  @Override
  public void finish(Sink sink) throws QueryFailure {
    if (!byCount) {
      warn();
    }
    for (Column column : kept) {
      sink.accept(column);
    }
  }
}

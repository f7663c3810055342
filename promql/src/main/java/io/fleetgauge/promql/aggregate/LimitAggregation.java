package io.fleetgauge.promql.aggregate;

import io.fleetgauge.promql.expr.Aggregation;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.TextSpan;
import io.fleetgauge.promql.function.Quantiles;
import io.fleetgauge.promql.query.Annotations;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Sink;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.Numbers;
import java.util.HashMap;
import java.util.Map;

/**
 * {@code limitk}, the first k columns of each group in the order in which they come, and {@code
 * limit_ratio}, a share of all columns that their labels decide. Columns pass as they come.
 */
public final class LimitAggregation implements Aggregator {
  private final Expr.Aggregate aggregate;
  private final AggregationGroups groups;
  private final Annotations annotations;

  /** In place of a count that cannot be. */
  public static final long INVALID = Long.MIN_VALUE;

  private final boolean byCount;
  private final double[] parameter;
  private final long[] limits;
  private final Map<Labels, int[]> taken = new HashMap<>();
  private final Sink sink;

  public LimitAggregation(
      Expr.Aggregate aggregate,
      AggregationGroups groups,
      double[] parameter,
      Annotations annotations,
      Sink sink) {
    this.aggregate = aggregate;
    this.annotations = annotations;
    this.groups = groups;
    this.sink = sink;
    this.byCount = aggregate.op() == Aggregation.LIMITK;
    this.parameter = parameter;
    this.limits = byCount ? counts(parameter) : null;
  }

  /** Warns about ratios beyond 1 or -1. */
  private void warn() {
    TextSpan span = aggregate.parameter().orElseThrow().span();
    double max = Quantiles.max(parameter);
    double min = Quantiles.min(parameter);
    if (max > 1) {
      annotations.warn(outside(max, 1), span);
    }
    if (min < -1) {
      annotations.warn(outside(min, -1), span);
    }
  }

  private static String outside(double ratio, int capped) {
    return "ratio value should be between -1 and 1, got "
        + Numbers.general(ratio)
        + ", capping to "
        + capped;
  }

  /**
   * The number that the parameter of {@code topk}, {@code bottomk} and {@code limitk} allows at
   * each step; {@link #INVALID} where it is no number, or out of the range of 64 bits, which is an
   * error where there is a sample. But when no step allows any, nothing is said of them.
   */
  public static long[] counts(double[] parameter) {
    long[] counts = new long[parameter.length];
    if (Quantiles.max(parameter) < 1) {
      return counts;
    }
    for (int i = 0; i < counts.length; i++) {
      counts[i] = Math.abs(parameter[i]) < 0x1p63 ? (long) parameter[i] : INVALID;
    }
    return counts;
  }

  public static QueryFailure invalid(double parameter) {
    return new QueryFailure(
        QueryFailure.Kind.EXECUTION,
        "Scalar value " + Numbers.text(parameter) + " overflows int64");
  }

  @Override
  public void add(Column column) throws QueryFailure {
    if (byCount ? limit(column) : share(column)) {
      sink.accept(column);
    }
  }

  private boolean limit(Column column) throws QueryFailure {
    int[] counts = taken.computeIfAbsent(groups.of(column), none -> new int[limits.length]);
    boolean any = false;
    for (int i = 0; i < limits.length; i++) {
      if (column.isPresent(i)) {
        if (limits[i] == INVALID) {
          throw invalid(parameter[i]);
        }
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

  private boolean share(Column column) throws QueryFailure {
    double place = LabelHash.fraction(column.labels());
    boolean any = false;
    for (int i = 0; i < parameter.length; i++) {
      if (!column.isPresent(i)) {
        continue;
      }
      if (Double.isNaN(parameter[i])) {
        throw new QueryFailure(QueryFailure.Kind.EXECUTION, "Ratio value NaN is NaN");
      }
      double ratio = Math.clamp(parameter[i], -1, 1);
      boolean in = ratio >= 0 ? place < ratio : place >= 1 + ratio;
      if (in) {
        any = true;
      } else {
        column.clear(i);
      }
    }
    return any;
  }

  @Override
  public void finish(Sink rest) {
    if (!byCount) {
      warn();
    }
  }
}

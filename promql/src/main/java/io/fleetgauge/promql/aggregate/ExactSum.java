package io.fleetgauge.promql.aggregate;

import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.kernel.Sums;
import io.fleetgauge.promql.query.Partial;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.HashMap;
import java.util.Map;

/**
 * The sum of the columns of one group, exact at every step; see {@link Sums}. A step whose numbers
 * need more bits or are very large goes on as a {@link BigDecimal}; such a sum is not handed over,
 * because whether one overflows depends on the order. One with an infinite number or NaN is a plain
 * sum from then on, since of these the order makes no difference.
 */
public final class ExactSum {
  private static final MathContext DIGITS = new MathContext(40);

  /**
   * A sum that three doubles do not hold.
   *
   * @param running the plain sum: once it is infinite it remains so, as it does for Prometheus, in
   *     the order of the series
   */
  private record Wide(BigDecimal exact, double running) {
    Wide plus(double x) {
      return new Wide(exact.add(new BigDecimal(x)), running + x);
    }
  }

  private final double[] sum;
  private final double[] carry;
  private final double[] rest;
  private final double[][] rows;
  private final int[] count;
  private boolean isNew = true;
  private Map<Integer, Wide> wide = Map.of();

  /**
   * @param count how many samples each step has; counted on by {@link #add(double[])}
   */
  public ExactSum(int[] count) {
    this.count = count;
    sum = new double[count.length];
    carry = new double[count.length];
    rest = new double[count.length];
    rows = new double[][] {sum, carry, rest};
  }

  /** Adds a column. */
  public void add(double[] in) {
    isNew = false;
    int at = 0;
    while ((at = Sums.add(in, at, sum, carry, rest, count)) < in.length) {
      if (!Columns.isAbsent(in[at])) {
        count[at]++;
        addSlowly(at, in[at]);
      }
      at++;
    }
  }

  /** Adds what others have summed up, and counts it. */
  void add(Partial partial) {
    if (isNew) {
      isNew = false;
      take(partial);
      return;
    }
    int at = 0;
    while (true) {
      int left = count.length - at;
      at += Sums.addKept(partial.count(), partial.numbers(), at, 1, left, rows, count, at);
      if (at == count.length) {
        return;
      }
      addCell(partial, at++);
    }
  }

  private void take(Partial partial) {
    System.arraycopy(partial.count(), 0, count, 0, count.length);
    for (int part = 0; part < rows.length; part++) {
      if (partial.numbers()[part] != null) {
        System.arraycopy(partial.numbers()[part], 0, rows[part], 0, count.length);
      }
    }
  }

  private void addCell(Partial partial, int step) {
    int before = count[step];
    addOne(step, partial.numbers()[0][step]);
    for (int part = 1; part < 3; part++) {
      double[] numbers = partial.numbers()[part];
      if (numbers != null && numbers[step] != 0) {
        addOne(step, numbers[step]);
      }
    }
    count[step] = before + partial.count()[step];
  }

  /** Adds a number, and counts it. */
  private void addOne(int step, double x) {
    double[] s = {sum[step]};
    double[] c = {carry[step]};
    double[] r = {rest[step]};
    if (Sums.add(new double[] {x}, 0, s, c, r, new int[] {count[step]}) == 1) {
      sum[step] = s[0];
      carry[step] = c[0];
      rest[step] = r[0];
    } else {
      addSlowly(step, x);
    }
    count[step]++;
  }

  private void addSlowly(int step, double x) {
    Wide before = wide.get(step);
    if (before == null && Double.isNaN(sum[step]) || !Double.isFinite(x)) {
      // Nothing finite changes a sum that is not; of two, the plain sum is what they make.
      sum[step] = (before == null ? sum[step] : before.running) + x;
      if (before != null) {
        wide.remove(step);
      }
    } else if (before == null && Double.isInfinite(sum[step])) {
      return;
    } else {
      if (wide.isEmpty()) {
        wide = new HashMap<>();
      }
      wide.put(step, (before == null ? new Wide(exact(step), sum[step]) : before).plus(x));
      sum[step] = Double.NaN; // the quick way takes nothing more of this step
    }
    carry[step] = 0;
    rest[step] = 0;
  }

  /**
   * The sum so far, in parts.
   *
   * @return null when the sum of a step does not fit into three doubles
   */
  public double[][] parts() {
    return wide.isEmpty() ? new double[][] {sum, orNull(carry), orNull(rest)} : null;
  }

  private static double[] orNull(double[] numbers) {
    for (double number : numbers) {
      if (number != 0) {
        return numbers;
      }
    }
    return null;
  }

  private BigDecimal exact(int step) {
    return new BigDecimal(sum[step])
        .add(new BigDecimal(carry[step]))
        .add(new BigDecimal(rest[step]));
  }

  double total(int step) {
    if (wide.isEmpty()) {
      return Sums.rounded(sum[step], carry[step], rest[step]);
    }
    Wide all = wide.get(step);
    if (all == null) {
      return Sums.rounded(sum[step], carry[step], rest[step]);
    }
    return Double.isInfinite(all.running) ? all.running : all.exact.doubleValue();
  }

  double mean(int step) {
    Wide all = wide.isEmpty() ? null : wide.get(step);
    return all == null
        ? total(step) / count[step]
        : all.exact.divide(BigDecimal.valueOf(count[step]), DIGITS).doubleValue();
  }
}

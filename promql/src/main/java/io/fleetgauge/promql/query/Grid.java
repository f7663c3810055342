package io.fleetgauge.promql.query;

import io.fleetgauge.promql.expr.Expr;

/**
 * The times at which an expression is evaluated: {@code start}, {@code start + step} and so on. A
 * query has one, and each subquery has one of its own.
 *
 * @param step ms, above 0
 * @param end no step is later; it may be later than the last step, and is before {@code start} when
 *     there is no step
 */
public record Grid(long start, long step, long end) {
  /** The number of steps. */
  public int size() {
    return end < start ? 0 : (int) ((end - start) / step) + 1;
  }

  public long time(int index) {
    return start + index * step;
  }

  public long last() {
    return time(size() - 1);
  }

  /** The first step alone. */
  public Grid first() {
    return new Grid(start, step, start);
  }

  /** Where in time a shifted expression looks at the step {@code time}. */
  public static long lookAt(Query query, Expr.Shift shift, long time) {
    long from =
        shift
            .at()
            .map(
                at ->
                    switch (at) {
                      case Expr.At.Time fixed -> fixed.millis();
                      case Expr.At.Start start -> query.start();
                      case Expr.At.End end -> query.end();
                    })
            .orElse(time);
    return from - shift.offset();
  }

  /**
   * The steps of a subquery that cover all its windows: multiples of its step since the epoch,
   * after the first window's start.
   *
   * @throws QueryFailure if they are more than samples are allowed
   */
  public static Grid of(Query query, Grid outer, Expr.Subquery subquery) throws QueryFailure {
    long step = subquery.step() == 0 ? query.settings().subqueryStep() : subquery.step();
    long from = lookAt(query, subquery.shift(), outer.start()) - subquery.range();
    long to = lookAt(query, subquery.shift(), outer.end());
    long first = Math.floorDiv(from, step) * step + step;
    long size = to < first ? 0 : (to - first) / step + 1;
    if (size > query.settings().maxSamples() || size > Integer.MAX_VALUE) {
      throw QueryFailure.tooManySamples(query.settings().maxSamples());
    }
    return new Grid(first, step, to);
  }
}

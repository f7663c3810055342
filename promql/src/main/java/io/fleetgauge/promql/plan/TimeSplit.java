package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.function.Names;
import io.fleetgauge.promql.query.Query;

/** Whether a range query may be answered piece by piece of its range. */
public final class TimeSplit {
  private TimeSplit() {}

  /**
   * Whether the answers to pieces of the range, put behind each other, are the answer to the whole:
   * nothing in it looks at the range itself, no two series can become one that are in different
   * pieces, which would be an error in the whole, and nothing looks at the order of groups, which
   * is that of the first series that has a sample anywhere in the range.
   */
  public static boolean isAllowed(Query query) {
    return !query.isInstant() && isAllowed(query.expr());
  }

  private static boolean isAllowed(Expr expr) {
    boolean here =
        switch (expr) {
          case Expr.Selector selector -> isFixed(selector.shift()) && Names.areOne(selector);
          case Expr.Subquery subquery -> isFixed(subquery.shift());
          case Expr.Call call -> isAllowed(call);
          case Expr.Aggregate aggregate ->
              !Distribution.looksAtOrder(aggregate) || Distribution.isOrdered(aggregate.input());
          case Expr.Number _,
              Expr.Text _,
              Expr.Window _,
              Expr.Unary _,
              Expr.Binary _,
              Expr.Paren _ ->
              true;
        };
    return here && expr.children().stream().allMatch(TimeSplit::isAllowed);
  }

  private static boolean isAllowed(Expr.Call call) {
    boolean looksAtTheRange =
        switch (call.function().steps()) {
          case QUERY -> true;
          case ARGUMENTS, TIME, TIME_WITHOUT_ARGUMENTS -> false;
        };
    boolean mayJoinSeries =
        switch (call.function().sharding()) {
          case RELABELS, JOINS -> true;
          case PER_SERIES, NO_SERIES, ABSENCE, ONE_NUMBER, SORTS, BUCKETS -> false;
        };
    return !looksAtTheRange && !mayJoinSeries && !Distribution.looksAtOrder(call);
  }

  private static boolean isFixed(Expr.Shift shift) {
    return shift.at().isEmpty() || shift.at().get() instanceof Expr.At.Time;
  }

  /** Whether a point at a step says that every part of the query gave something there. */
  public static boolean isStrict(Expr expr) {
    boolean here =
        switch (expr) {
          case Expr.Binary binary -> !binary.op().isSet();
          case Expr.Call call ->
              switch (call.function().points()) {
                case WITH_INPUT -> true;
                case WITHOUT_INPUT -> false;
              };
          case Expr.Subquery subquery -> false;
          case Expr.Number _,
              Expr.Text _,
              Expr.Selector _,
              Expr.Window _,
              Expr.Aggregate _,
              Expr.Unary _,
              Expr.Paren _ ->
              true;
        };
    return here && expr.children().stream().allMatch(TimeSplit::isStrict);
  }
}

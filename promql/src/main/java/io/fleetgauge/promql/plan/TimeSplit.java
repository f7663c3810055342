package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.function.CounterNames;
import io.fleetgauge.promql.function.MetricNames;
import io.fleetgauge.promql.query.Query;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Decides whether a range query may be split over time. */
public final class TimeSplit {
  private static final Pattern RANGE = Pattern.compile("\\brange\\b", Pattern.CASE_INSENSITIVE);

  private TimeSplit() {}

  /**
   * Returns true if the concatenated results of parts of the range are the result of the full
   * range. That is so when nothing in the query depends on the range itself; when no two series of
   * different parts can become equal, which is an error for the whole range; and when nothing
   * depends on the order of groups, which is that of the first series with a sample anywhere in the
   * range.
   */
  public static boolean isAllowed(Query query) {
    return !query.isInstant() && !mayHaveDurationOfRange(query) && isAllowed(query.expr());
  }

  /**
   * Returns true if a duration may be computed from {@code range()}. In the tree it is a number
   * like any other, and a shard that parses the text for a part of the range would find another
   * one.
   */
  private static boolean mayHaveDurationOfRange(Query query) {
    Set<Feature> features = query.settings().features();
    return features.contains(Feature.DURATION_EXPRESSIONS)
        && features.contains(Feature.NEWER_FUNCTIONS)
        && RANGE.matcher(query.text()).find();
  }

  private static boolean isAllowed(Expr expr) {
    boolean here =
        switch (expr) {
          case Expr.Selector selector -> isFixed(selector.shift()) && MetricNames.areSame(selector);
          case Expr.Subquery subquery -> isFixed(subquery.shift());
          case Expr.Call call -> isAllowed(call);
          case Expr.Aggregate aggregate ->
              !Distribution.dependsOnOrder(aggregate) || Distribution.isOrdered(aggregate.input());
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
    return !looksAtTheRange && !mayJoinSeries && !Distribution.dependsOnOrder(call);
  }

  private static boolean isFixed(Expr.Shift shift) {
    return shift.at().isEmpty() || shift.at().get() instanceof Expr.At.Time;
  }

  /**
   * Returns true if a point at a step of a result proves that its annotations hold for this step.
   * That is so for remarks about names, when every part of the query had a result there. Whether
   * another annotation holds, such as one about histograms, depends on the samples that the step
   * reads.
   */
  public static boolean isProvenByPoints(Expr expr, List<String> warnings, List<String> infos) {
    return warnings.isEmpty() && infos.stream().allMatch(CounterNames::isRemark) && isStrict(expr);
  }

  /** Returns true if a point at a step proves that every part of the query had a result there. */
  static boolean isStrict(Expr expr) {
    boolean here =
        switch (expr) {
          case Expr.Binary binary ->
              !binary.op().isSet() && binary.matching().fill().equals(Expr.Matching.Fill.NONE);
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

package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.function.InfoJoin;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SamplesRead;
import io.fleetgauge.promql.query.Selection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which samples the evaluator reads for a query. */
final class Selections {
  private Selections() {}

  /**
   * The selections that a query reads itself, each once.
   *
   * @param provided parts of the query that are evaluated elsewhere, by identity
   */
  static List<Selection> of(Query query, Set<Expr> provided) throws QueryFailure {
    LinkedHashSet<Selection> selections = new LinkedHashSet<>();
    QueryWalk.visit(
        query,
        (expr, grid) -> {
          if (provided.contains(expr)) {
            return false;
          }
          if (grid.size() == 0) {
            return true;
          }
          switch (expr) {
            case Expr.Selector selector ->
                selections.addAll(all(query, grid, selector, query.settings().lookback()));
            case Expr.Window window ->
                selections.addAll(all(query, grid, window.selector(), window.range()));
            case Expr.Call call when call.function().sharding() == Function.Sharding.JOINS ->
                selections.add(new InfoJoin(query, grid, call).selection());
            case Expr.Number _,
                Expr.Text _,
                Expr.Subquery _,
                Expr.Call _,
                Expr.Aggregate _,
                Expr.Unary _,
                Expr.Binary _,
                Expr.Paren _ -> {}
          }
          return true;
        });
    return new ArrayList<>(selections);
  }

  /** The samples that a query reads of each selection, wherever that is evaluated. */
  static List<SamplesRead> reads(Query query, Grid grid) throws QueryFailure {
    Map<Selection, SamplesRead> reads = new LinkedHashMap<>();
    Map<Expr, Double> again = new IdentityHashMap<>();
    Set<Expr> ends = Collections.newSetFromMap(new IdentityHashMap<>());
    QueryWalk.visit(
        query,
        grid,
        (expr, at) -> {
          int steps = at.size();
          if (steps == 0) {
            return true;
          }
          double more = again.getOrDefault(expr, 0.0);
          switch (expr) {
            case Expr.Selector selector -> {
              for (Selection selection : all(query, at, selector, query.settings().lookback())) {
                add(reads, selection, steps + more, 0);
              }
            }
            case Expr.Window window -> {
              double windows = ends.contains(window) ? 0 : steps;
              for (Selection selection : all(query, at, window.selector(), window.range())) {
                add(reads, selection, steps + more, windows * window.range());
              }
            }
            case Expr.Subquery subquery -> {
              // Each step reads the points of its window again.
              Grid inner = Grid.of(query, at, subquery);
              double points = (double) steps * subquery.range() / inner.step();
              below(again, subquery.input(), more + points);
              more = 0;
            }
            case Expr.Call call -> {
              if (call.function() instanceof Function.Range range && looksAtEnds(range)) {
                ends.addAll(call.arguments());
              }
              if (call.function().sharding() == Function.Sharding.JOINS) {
                add(reads, new InfoJoin(query, at, call).selection(), steps, 0);
              }
            }
            case Expr.Number _,
                Expr.Text _,
                Expr.Aggregate _,
                Expr.Unary _,
                Expr.Binary _,
                Expr.Paren _ -> {}
          }
          if (more > 0) {
            for (Expr part : expr.children()) {
              below(again, part, more);
            }
          }
          return true;
        });
    return List.copyOf(reads.values());
  }

  private static void below(Map<Expr, Double> again, Expr part, double more) {
    again.merge(part, more, Double::sum);
  }

  private static void add(
      Map<Selection, SamplesRead> reads, Selection selection, double looks, double windowMillis) {
    reads.merge(
        selection,
        new SamplesRead(selection, looks, windowMillis),
        (one, other) ->
            new SamplesRead(
                selection, one.looks() + other.looks(), one.windowMillis() + other.windowMillis()));
  }

  /** Returns true if a function reads few samples of a window, however many there are. */
  private static boolean looksAtEnds(Function.Range function) {
    return switch (function) {
      case COUNT_OVER_TIME,
          DELTA,
          FIRST_OVER_TIME,
          IDELTA,
          INCREASE,
          IRATE,
          LAST_OVER_TIME,
          PRESENT_OVER_TIME,
          RATE,
          TS_OF_FIRST_OVER_TIME,
          TS_OF_LAST_OVER_TIME ->
          true;
      case AVG_OVER_TIME,
          CHANGES,
          DERIV,
          DOUBLE_EXPONENTIAL_SMOOTHING,
          MAD_OVER_TIME,
          MAX_OVER_TIME,
          MIN_OVER_TIME,
          PREDICT_LINEAR,
          QUANTILE_OVER_TIME,
          RESETS,
          STDDEV_OVER_TIME,
          STDVAR_OVER_TIME,
          SUM_OVER_TIME,
          TS_OF_MAX_OVER_TIME,
          TS_OF_MIN_OVER_TIME ->
          false;
    };
  }

  /** The selections of a selector: one selection, or one for each of its readings. */
  private static List<Selection> all(Query query, Grid grid, Expr.Selector selector, long length) {
    Selection plain = of(query, grid, selector, length);
    if (selector.readings().isEmpty()) {
      return List.of(plain);
    }
    return selector.readings().stream()
        .map(reading -> new Selection(reading.matchers(), plain.from(), plain.to()))
        .toList();
  }

  /**
   * @param length how far back the selector looks from each step
   */
  static Selection of(Query query, Grid grid, Expr.Selector selector, long length) {
    long first = Grid.lookAt(query, selector.shift(), grid.start());
    long last = Grid.lookAt(query, selector.shift(), grid.last());
    long lookback = query.settings().lookback();
    // A sample for an edge is searched within the lookback beyond it.
    return switch (selector.edges()) {
      case PLAIN -> new Selection(selector.matchers(), first - length, last);
      case ANCHORED -> new Selection(selector.matchers(), first - length - lookback, last);
      case SMOOTHED ->
          new Selection(selector.matchers(), first - length - lookback, last + lookback);
    };
  }
}

package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.Selection;
import java.util.List;
import java.util.Map;

/**
 * A planned query.
 *
 * @param query with the expression that is evaluated: aliases and scope applied, constants folded
 * @param cuts the parts that shards evaluate
 * @param selections samples that are fetched in addition
 * @param reasons why parts are not given to the shards or not taken from rollups, by their text
 */
public record Planned(
    Query query,
    Plan plan,
    List<Cut> cuts,
    List<Selection> selections,
    Map<String, String> reasons) {

  /**
   * A part that the shards evaluate.
   *
   * @param grid the steps at which it is needed
   * @param partial whether shards fold it into partials; otherwise they evaluate it
   * @param rollups whether they may use rollups
   */
  public record Cut(Expr expr, Grid grid, boolean partial, boolean rollups) {}
}

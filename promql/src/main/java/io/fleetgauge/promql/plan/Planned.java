package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.SamplesRead;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.usage.series.UsageSelection;
import java.util.List;
import java.util.Map;

/**
 * A planned query, or some of its steps.
 *
 * @param query with the expression that is evaluated: aliases and scope applied, constants folded
 * @param cuts the parts that shards evaluate
 * @param selections samples that are fetched in addition
 * @param usage those of them that select series of usage
 * @param reads everything stored that the query reads, wherever that is evaluated
 * @param reasons why parts are not given to the shards or not taken from rollups, by their text
 */
public record Planned(
    Query query,
    Plan plan,
    List<Cut> cuts,
    List<Selection> selections,
    List<UsageSelection> usage,
    List<SamplesRead> reads,
    Map<String, String> reasons) {

  /**
   * A part that the shards evaluate.
   *
   * @param text by which shards know it
   * @param grid the steps at which it is needed
   * @param partial whether shards fold it into partials; otherwise they evaluate it
   * @param rollups whether they may use rollups
   */
  public record Cut(Expr expr, PartText text, Grid grid, boolean partial, boolean rollups) {}

  /** Returns true if the shards evaluate all of it in one read. */
  public boolean isOneRead() {
    return !cuts.isEmpty() && selections.isEmpty();
  }

  /** Returns true if every sample that it reads may be taken from rollups. */
  public boolean needsNoSamples() {
    return selections.isEmpty() && cuts.stream().allMatch(Cut::rollups);
  }

  /** Number of its steps. */
  public long steps() {
    return query.grid().size();
  }

  /** The last step, ms. */
  public long lastStep() {
    return query.grid().last();
  }
}

package io.fleetgauge.promql.query;

import io.fleetgauge.promql.expr.Expr;

/**
 * A query before its text is parsed. Times in ms since the epoch, lengths in ms.
 *
 * @param start first step
 * @param end last step at the most
 * @param step distance of steps; 0 for an instant query, where start and end are equal
 */
public record QueryText(String text, long start, long end, long step, Query.Settings settings) {
  /** The query, when its text has been parsed. */
  public Query with(Expr expr) {
    return new Query(text, expr, start, end, step, settings);
  }
}

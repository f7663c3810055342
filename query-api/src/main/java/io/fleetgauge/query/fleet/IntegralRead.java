package io.fleetgauge.query.fleet;

import io.fleetgauge.promql.expr.Matcher;
import java.util.List;

/**
 * Integrals of series over the intervals of their owners.
 *
 * @param matchers of the series, with their owners and the scope
 * @param after samples up to this time count from then on, ms
 * @param to the end of the time, ms
 * @param lookback longest time that a sample stands, ms
 * @param unit of the whole numbers that values are rounded to, as its inverse: 1,000 for
 *     thousandths
 * @param budget most samples that one gateway may read; more is an error
 */
public record IntegralRead(
    List<Matcher> matchers, long after, long to, long lookback, long unit, long budget) {}

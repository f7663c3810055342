package io.fleetgauge.promql.lookup;

import io.fleetgauge.promql.expr.Matcher;
import java.util.List;

/**
 * Selects series: those that match one of the alternatives and have a sample from {@code from} to
 * {@code to}, both included, ms.
 *
 * @param limit most items of the answer; 0 for all
 * @param matchers alternatives; every series matches if there is none
 */
public record SeriesSearch(long from, long to, int limit, List<List<Matcher>> matchers) {}

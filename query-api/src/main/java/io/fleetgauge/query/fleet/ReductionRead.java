package io.fleetgauge.query.fleet;

import io.fleetgauge.promql.expr.Matcher;
import java.util.List;

/**
 * Reads the newest samples of the metrics that have rollups, reduced by groups of labels.
 *
 * @param names selects reductions: a name such as {@code rack:METRIC:avg} has to match one of these
 *     selectors
 * @param scope matchers of every series that is reduced
 * @param after samples at or before this time are not read, ms
 * @param to samples after this time are not read, ms
 */
public record ReductionRead(List<List<Matcher>> names, List<Matcher> scope, long after, long to) {}

package io.fleetgauge.promql.query;

import io.fleetgauge.sample.Labels;

/**
 * One group of an aggregation, folded over some of the series, at each step. Merging the partials
 * of a group gives the same result in any order and for any split of the series.
 *
 * @param group the labels of the group
 * @param first the smallest labels of a column in it; groups are ordered by it
 * @param nameDropped whether the metric name is dropped at the end of the query
 * @param count how many samples each step has
 * @param numbers for sums and averages three rows: the sum and two rounding errors of it, a row
 *     null when it is 0 at every step; for minima and maxima one row; otherwise none
 */
public record Partial(
    Labels group, Labels first, boolean nameDropped, int[] count, double[][] numbers) {}

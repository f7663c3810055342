package io.fleetgauge.promql.query;

import io.fleetgauge.sample.Labels;

/**
 * What a part of the series adds to one group of an aggregation, at each step. Partials of one
 * group make the same result in whatever order and however they were split.
 *
 * @param group the labels of the group
 * @param first the least labels of a column in it; it says where the group stands among others
 * @param nameDropped whether the metric's name goes when the query is done
 * @param count how many samples each step has
 * @param numbers of sums and averages three: the sum and what it lost to rounding, twice, null for
 *     0 at every step; of minima and maxima one; else none
 */
public record Partial(
    Labels group, Labels first, boolean nameDropped, int[] count, double[][] numbers) {}

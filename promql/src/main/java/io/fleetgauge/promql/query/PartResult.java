package io.fleetgauge.promql.query;

import java.util.List;

/**
 * The result of a part of a query over some of the series.
 *
 * @param columns the vector's columns, when the part was evaluated
 * @param partials the groups of the aggregation, when it was folded and not finished
 * @param samples how many samples selectors found
 */
public record PartResult(
    List<Column> columns, List<Partial> partials, List<Annotation> annotations, long samples) {}

package io.fleetgauge.promql.query;

import java.util.List;

/**
 * What others have made of a part of a query.
 *
 * @param columns owned by whoever is handed them
 */
public record Provided(List<Column> columns, List<Annotation> annotations) {}

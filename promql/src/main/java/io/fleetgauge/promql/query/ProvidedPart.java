package io.fleetgauge.promql.query;

import java.util.List;

/**
 * The result of a part of a query that was evaluated elsewhere.
 *
 * @param columns owned by the receiver
 */
public record ProvidedPart(List<Column> columns, List<Annotation> annotations) {}

package io.fleetgauge.promql.query;

import io.fleetgauge.promql.expr.TextSpan;

/**
 * A warning or an info about a query.
 *
 * @param warning whether it is a warning
 * @param span the part of the query that it is about
 */
public record Annotation(boolean warning, String text, TextSpan span) {}

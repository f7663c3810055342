package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.syntax.Span;

/**
 * A warning or an info of a query.
 *
 * @param warning whether it is a warning
 * @param span the part of the query that it is about
 */
public record Remark(boolean warning, String text, Span span) {}

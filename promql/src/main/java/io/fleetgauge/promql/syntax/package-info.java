/**
 * The PromQL 3.5 language: text to tree and tree to text.
 *
 * <p>In: the text of a query. Out: an {@link io.fleetgauge.promql.syntax.Expr} whose types have
 * been checked, or a {@link io.fleetgauge.promql.syntax.ParseException} with line and column. What
 * a stock Prometheus 3.5 leaves out is read only where {@link io.fleetgauge.promql.syntax.Feature}s
 * are on.
 *
 * <p>Law: {@code parse(print(e))} equals {@code e}; positions take no part in equality. Trees and
 * formatted queries are Prometheus's to the letter. Regular expressions are RE2, compiled while
 * parsing, so that a bad one is an error of the query; the simple ones that dashboards send take no
 * automaton. This room alone knows RE2/J. However long or deep a text is, it is refused in time.
 */
package io.fleetgauge.promql.syntax;

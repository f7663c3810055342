/**
 * The PromQL 3.5 parser: text to expression tree.
 *
 * <p>In: the text of a query. Out: an {@link io.fleetgauge.promql.expr.Expr} whose types have been
 * checked, or a {@link io.fleetgauge.promql.syntax.ParseException} with line and column. Syntax
 * that a stock Prometheus 3.5 does not enable is accepted only with the matching {@link
 * io.fleetgauge.promql.expr.Feature}.
 *
 * <p>Law: {@code parse(print(e))} equals {@code e}. Texts that are too long or nested too deeply
 * are rejected before they cost time or stack. A regular expression is compiled while parsing, so
 * an invalid one is an error of the query.
 */
package io.fleetgauge.promql.syntax;

/**
 * The PromQL 3.5 language: text to tree and tree to text.
 *
 * <p>In: the text of a query. Out: an {@link io.fleetgauge.promql.syntax.Expr} whose types have
 * been checked, or a {@link io.fleetgauge.promql.syntax.ParseException} with line and column. The
 * whole grammar of version 3.5 is read, whether or not the evaluator knows it yet.
 *
 * <p>Law: {@code parse(print(e))} equals {@code e}; positions take no part in equality. Regular
 * expressions are RE2, compiled while parsing, so that a bad one is an error of the query. This
 * room alone knows RE2/J.
 */
package io.fleetgauge.promql.syntax;

/**
 * The PromQL expression tree and its text form.
 *
 * <p>In: nodes built by {@code promql.syntax} or by a rewrite. Out: an immutable {@link
 * io.fleetgauge.promql.expr.Expr}, its operators and functions ({@link
 * io.fleetgauge.promql.expr.Function}, {@link io.fleetgauge.promql.expr.Aggregation}, {@link
 * io.fleetgauge.promql.expr.BinaryOp}), label matchers ({@link io.fleetgauge.promql.expr.Matcher})
 * and the printed query.
 *
 * <p>Law: printed trees and formatted queries equal Prometheus's; source positions take no part in
 * equality. Regular expressions are RE2; common simple ones are matched without an automaton. Only
 * this room uses RE2/J.
 */
package io.fleetgauge.promql.expr;

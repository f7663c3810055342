/**
 * PromQL's aggregation operators.
 *
 * <p>In: the columns of a vector, one by one. Out: one column for each group, or the columns that
 * the operator selects. Folds ({@code sum}, {@code avg}, {@code min}, {@code max}, {@code count},
 * {@code group}) can also be handed over as {@link io.fleetgauge.promql.query.Partial}s and merged
 * elsewhere.
 *
 * <p>Law: merging partials in any order gives the result of one fold over all columns, bit for bit.
 */
package io.fleetgauge.promql.aggregate;

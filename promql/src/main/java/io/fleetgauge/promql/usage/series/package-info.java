/**
 * Series of usage: what jobs used of GPUs as counters for PromQL. Nobody stores them; they are made
 * of rows of usage when a query names one.
 *
 * <p>In: the selections of a query, and rows of {@link io.fleetgauge.promql.usage}. Out: what has
 * to be read of usage, and {@link io.fleetgauge.sample.Series} as if they were stored.
 *
 * <h2>What a series is</h2>
 *
 * <p>A series has the labels of an owner and is the sum over all of the owner's devices. Its value
 * at a whole minute is what has been used since the hour began, from the first minute of the hour
 * with something to count until the hour ends; one millisecond after the hour it is 0. So an hour's
 * last value is the usage of that hour, every fall of the counter is one that {@code rate} and
 * {@code increase} see, and no value needs samples from long before it. Days that are kept after
 * their samples have expired have hours too.
 *
 * <p>A selector has to name a series: by equality, or as an alternative of a regular expression. A
 * matcher of a label that rows have and series have not, such as the rack, chooses what is counted.
 * Therefore a scope may have such a matcher.
 *
 * <p>An instant selector sees one sample at each step, so only these are made for it; a window sees
 * all.
 *
 * <p>Law: a sample depends on its own time only, not on the query that reads it. The last values of
 * hours add up to the report of these hours ({@code UsageSeriesTest}).
 */
package io.fleetgauge.promql.usage.series;

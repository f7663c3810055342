/**
 * The costliest queries of each tenant since the start of this process, and what each tenant used.
 *
 * <p>In: every PromQL query that ended, with where its time went. Out: queries that differ only in
 * label values as one, with count, p50, p99 and the reasons of the slowest execution.
 *
 * <p>Law: bounded, whatever is asked: 100 kinds of queries for each tenant and 2,000 in all, 1,000
 * tenants; the kind that took least time in all makes room, and how many did is counted.
 */
package io.fleetgauge.query.slow;

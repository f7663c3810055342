/**
 * Prometheus's HTTP API, version 1: queries, labels, series, metadata, targets, status, remote
 * read, and explanations of queries.
 *
 * <p>In: requests of Prometheus's clients. Out: JSON in Prometheus's envelope, or messages of
 * remote read; errors in the same form.
 *
 * <p>Law: parameters, rounding, shapes, error types and statuses are those of Prometheus 3.5; where
 * Prometheus accepts a nonsensical parameter (a time of NaN), the answer is 400. Every request
 * reads with the matchers of the token's scope, and names hosts only to tokens that see all of
 * them.
 */
package io.fleetgauge.query.prometheus;

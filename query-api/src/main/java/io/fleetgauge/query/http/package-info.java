/**
 * Prometheus's HTTP API, version 1.
 *
 * <p>In: requests by GET, and by POST with a form. Out: JSON in Prometheus's envelope, or its
 * errors.
 *
 * <p>Law: parameters, rounding, shapes, error types and statuses are those of Prometheus 3.5; where
 * that answers nonsense to nonsense (a time of NaN), the answer is 400.
 */
package io.fleetgauge.query.http;

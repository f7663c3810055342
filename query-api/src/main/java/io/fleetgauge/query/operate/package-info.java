/**
 * The answers to operators about the cluster itself: {@code /api/v1/status/cluster}, {@code
 * slow-queries}, {@code cardinality} and {@code storage}; metrics of the cluster; and what {@code
 * fleetgauge doctor query} examines.
 *
 * <p>In: requests with a token; for doctor a configuration. Out: JSON in the envelope of the HTTP
 * API, whose forms {@code docs/operating.md} describes; fields are added to them and none is
 * removed.
 *
 * <p>Law: a tenant sees its own queries and series only. What shows the whole cluster needs the
 * operate permission, and a token without a scope.
 */
package io.fleetgauge.query.operate;

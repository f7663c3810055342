/**
 * Stores that speak Prometheus's API: their samples, their labels, and queries that they evaluate.
 *
 * <p>In: selections and searches in our labels, with a budget, a time limit and a cancellation.
 * Out: series in our labels, in order; or a {@link io.fleetgauge.promql.query.QueryFailure}, which
 * is of the kind {@code UNAVAILABLE} when the store gave no proper answer. Nothing here knows of
 * gateways, of what they keep, or of tenants.
 *
 * <p>Samples come by remote read, as chunks, where the store has that: they are what is stored,
 * staleness markers included. Thanos and VictoriaMetrics have none; a query for a range of raw
 * samples serves there, and such an answer has no staleness markers.
 *
 * <p>Law: a store is not believed. What is sent has all matchers, and what comes back is checked
 * against them; series that were not asked for are dropped and counted, and samples outside of the
 * time are cut. An answer has a limit in time, in bytes before and after decompression, in samples
 * and in bytes of labels. No redirect is followed. Any bytes give an answer or a failure.
 */
package io.fleetgauge.query.store;

/**
 * Executes fragments of queries.
 *
 * <p>In: the bytes of a {@link io.fleetgauge.promql.fragment.Fragment}. Out: the bytes of its
 * answer: samples, or the partial result of a query on this gateway.
 *
 * <p>An aggregation that a rollup rule covers is computed from merged pages of many hosts ({@link
 * io.fleetgauge.gateway.serve.CombinedPages}), then from pages of single hosts, then from samples;
 * small ones are computed on the event loop. For newest samples, which federation asks for
 * repeatedly, the matching series and their texts are cached ({@link
 * io.fleetgauge.gateway.serve.NewestLines}).
 *
 * <p>Law: a fragment is answered for the hosts that the table assigns to this gateway and for no
 * others; the answer names them. The result does not depend on whether it was computed from rollups
 * or from samples, to the last bit. A fragment stops when its connection is closed, and heavy
 * fragments yield to light ones.
 */
package io.fleetgauge.gateway.serve;

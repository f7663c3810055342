/**
 * Fragments of queries, run.
 *
 * <p>In: the bytes of a {@link io.fleetgauge.promql.fragment.Fragment}. Out: the bytes of its
 * answer.
 *
 * <p>Law: a fragment is answered for the hosts that are this gateway's by its own table and for no
 * others; the answer says which.
 */
package io.fleetgauge.gateway.serve;

/**
 * What a query API asks of a gateway, and what the gateway answers: the only types that both share.
 *
 * <p>In: a {@link io.fleetgauge.promql.fragment.Fragment} for named hosts at one epoch. Out: a
 * {@link io.fleetgauge.promql.fragment.FragmentAnswer}, which names the hosts that it covers.
 * {@code promql.fragment.form} has their bytes.
 *
 * <p>Law: an answer never covers a host whose samples it lacks.
 */
package io.fleetgauge.promql.fragment;

/**
 * Asks the gateways, each for its hosts.
 *
 * <p>In: a {@link io.fleetgauge.promql.fragment.Fragment} that names no hosts yet. Out: what the
 * gateways answered, merged, and the names of the hosts that nobody answered for.
 *
 * <p>Law: a host is asked of one gateway at a time, the one that the table names, so that nothing
 * counts twice; whoever did not answer for a host is asked again once, by the newest table. A host
 * that is missing is named.
 */
package io.fleetgauge.query.fanout;

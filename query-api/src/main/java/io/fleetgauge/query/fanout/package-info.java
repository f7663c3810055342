/**
 * Asks the gateways, each for its hosts.
 *
 * <p>In: a {@link io.fleetgauge.promql.fragment.Fragment} that names no hosts yet. Out: what the
 * gateways answered, merged, and the names of the hosts that nobody answered for.
 *
 * <p>A host is read from its owner. When that takes longer than nineteen of twenty of its last
 * answers did, or fails, the hosts' copies are asked too, and whoever is first with all of them is
 * taken. Whoever nobody answered for is asked for again once, by the newest table.
 *
 * <p>Law: each host in an answer is from one gateway, so that nothing counts twice. A host that is
 * missing is named, and so it is when the cluster is split and this is the smaller side.
 */
package io.fleetgauge.query.fanout;

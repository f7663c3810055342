/**
 * The gateways as {@link io.fleetgauge.query.source.Source} and {@link
 * io.fleetgauge.query.fleet.Fleet}.
 *
 * <p>In: reads, which become {@link io.fleetgauge.promql.fragment.Fragment}s. Out: what the
 * gateways answered, merged, and the names of the hosts that no gateway answered for.
 *
 * <p>A host is read from its owner. When that takes longer than 95 of 100 of its last answers did,
 * or fails, the host's replica is asked too, and the first whole answer is taken ({@link
 * io.fleetgauge.query.fanout.HedgeMachine}). Hosts that no gateway answered for are asked for
 * again, by the newest table ({@link io.fleetgauge.query.fanout.Rounds}). Reads of rules that begin
 * together are one request to each gateway ({@link io.fleetgauge.query.fanout.SharedReads}).
 *
 * <p>Law: each host in an answer is from one gateway, so that nothing counts twice. A host that is
 * missing is named; a split of the cluster is, too, on its smaller side.
 */
package io.fleetgauge.query.fanout;

/**
 * Reads that only gateways can execute, as one interface: {@link io.fleetgauge.query.fleet.Fleet}.
 * Samples and labels are in {@code query.source}.
 *
 * <p>In: plans, label matchers and times, with a time limit and a cancellation. Out: parts of
 * queries, newest samples, hosts, owners, changes, each with the hosts that it covers. {@code
 * query.fanout} implements it and alone knows how gateways are asked. A new kind of read is a
 * method here and there, and one file in {@code promql.fragment}. No HTTP here.
 *
 * <p>Law: a read covers each host once or names it as missing ({@code FleetContract}, which every
 * implementation passes). Only {@code query.answer} reads through this interface.
 */
package io.fleetgauge.query.fleet;

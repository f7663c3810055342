/**
 * The gateways, as one interface: {@link io.fleetgauge.query.fleet.Fleet}.
 *
 * <p>In: plans, label matchers and times, with a time limit and a cancellation. Out: parts of
 * queries, newest samples, hosts, owners, changes, each with the hosts that it covers. The gateways
 * are behind {@code query.fanout}, which alone knows how they are asked. No HTTP here.
 *
 * <p>Law: a read covers each host once or names it as missing ({@code FleetContract}, which every
 * implementation passes). Only {@code query.answer} reads through this interface.
 */
package io.fleetgauge.query.fleet;

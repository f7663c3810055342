/**
 * {@code fleetgauge demo}: a whole fleet on this machine.
 *
 * <p>In: ports, a folder, the number of hosts. Out: as many gateways as these hosts need, a query
 * API, a real probe of this machine, and simulated nodes ({@code load.nodes}) that send through the
 * probe's own uplink, an hour of history first.
 *
 * <p>Law: history and live readings are one play of the nodes; everything else is the code of
 * production.
 */
package io.fleetgauge.load.demo;

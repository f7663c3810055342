/**
 * {@code fleetgauge demo}: a whole fleet on this machine.
 *
 * <p>In: ports, a folder, the number of hosts. Out: as many gateways as these hosts need, a query
 * API, a real probe of this machine, and simulated GPU nodes that send through the probe's own
 * uplink, an hour of history first.
 *
 * <p>Law: the readings of simulated nodes are a function of seed and time; everything else is the
 * code of production.
 */
package io.fleetgauge.load.demo;

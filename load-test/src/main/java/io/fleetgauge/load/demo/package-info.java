/**
 * {@code fleetgauge demo}: a whole fleet on this machine; and {@code fleetgauge traces}: what such
 * a fleet sends, with the faults that it has.
 *
 * <p>In: ports, a folder, the number of hosts. Out: as many gateways as these hosts need, a query
 * API, a real probe of this machine, and simulated nodes ({@code load.nodes}) that send through the
 * probe's own uplink, an hour of history first. The faults that are played, and their times, are in
 * a file of the folder, as those of a trace are printed.
 *
 * <p>Law: history and live readings are one play of the nodes; everything else is the code of
 * production.
 */
package io.fleetgauge.load.demo;

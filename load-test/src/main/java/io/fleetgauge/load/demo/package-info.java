/**
 * A fleet to look at: {@code fleetgauge demo}.
 *
 * <p>In: ports and a folder. Out: three gateways, a query API, a real probe of this machine, and
 * simulated GPU nodes that send through the probe's own uplink, an hour of their past first. Law:
 * the simulation is a function of its seed and of time; nothing but the readings is simulated.
 */
package io.fleetgauge.load.demo;

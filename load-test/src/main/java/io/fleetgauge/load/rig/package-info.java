/**
 * A fleet on one machine: real gateways and query APIs, started in this JVM over loopback.
 *
 * <p>In: how many gateways, and which ports. Out: {@link io.fleetgauge.load.rig.LocalFleet}. Law:
 * what runs here is what runs in production, but for the address it binds.
 */
package io.fleetgauge.load.rig;

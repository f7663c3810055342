/**
 * Parts of a fleet on one machine: real gateways and query APIs over loopback, in this JVM, each in
 * its own, or as installed, the bodies that senders of remote writes make, and the programs to
 * compare with.
 *
 * <p>In: how many gateways, which ports and which folder. Out: {@link
 * io.fleetgauge.load.fleet.LocalFleet} and {@link io.fleetgauge.load.fleet.ChildProcess}, which
 * starts, watches and ends every process. Law: what runs here is what runs in production, but for
 * the address it binds.
 */
package io.fleetgauge.load.fleet;

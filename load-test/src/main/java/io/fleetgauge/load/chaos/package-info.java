/**
 * What must not be noticed, done to real processes.
 *
 * <p>In: a seed. Out: a table of events with what was measured at each, and whether it holds.
 *
 * <p>A fleet of gateways and a query API run in JVMs of their own. Uplinks send ticks that a ledger
 * remembers; queries go on all the time. Gateways are killed, frozen, joined, drained, started
 * anew, and cut off from one another with network namespaces. In the end what the fleet answers is
 * compared with the ledger, tick by tick.
 *
 * <p>Law: every process that is started is ended, and everything stops by itself.
 */
package io.fleetgauge.load.chaos;

/**
 * Failures of real processes that must not lose samples or queries.
 *
 * <p>In: a seed. Out: a table of events with the requirement, the measurement, and whether it
 * holds.
 *
 * <p>A fleet of gateways and a query API run in JVMs of their own. Uplinks send ticks that a ledger
 * keeps; queries run continuously. Gateways are killed, frozen, joined, drained, restarted, and
 * separated with network namespaces; before, {@code Backlogs} sends all that waited at full speed
 * to gateways that nothing else happens to. At the end the answers of the fleet are compared with
 * the ledger, tick by tick.
 *
 * <p>{@code RuleChaos} does the same to query APIs that own rules, and compares what they store and
 * send, and what a real Alertmanager tells, with what the samples demand.
 *
 * <p>Law: every process that is started is ended, and every run terminates.
 */
package io.fleetgauge.load.chaos;

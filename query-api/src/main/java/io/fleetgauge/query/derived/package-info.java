/**
 * Samples that the query API derives from those of hosts, on their way to the stores of gateways.
 *
 * <p>In: results of rules, and episodes of faults. Out: remote writes, until a gateway has
 * acknowledged each.
 *
 * <p>Law: what a queue is given is stored in order, and is said to be stored only when it is.
 */
package io.fleetgauge.query.derived;

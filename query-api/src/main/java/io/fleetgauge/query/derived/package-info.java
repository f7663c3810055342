/**
 * Samples that the query API derives from those of hosts, such as results of rules and episodes of
 * faults.
 *
 * <p>In: the time of the samples that a result is of; results. Out: {@code SlotData} says when all
 * hosts have sent up to that time; {@code DerivedWriter} sends remote writes, until a gateway has
 * acknowledged each.
 *
 * <p>Law: what a queue is given is stored in order, and is said to be stored only when it is.
 */
package io.fleetgauge.query.derived;

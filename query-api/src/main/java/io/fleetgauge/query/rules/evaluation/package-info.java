/**
 * The evaluation of a rule group at one slot.
 *
 * <p>In: a group, its state after the slot before, and a way to ask for the value of an expression
 * at a time. Out: the state after the slot, the samples to write, and the alerts to send.
 *
 * <p>Law: an evaluation is a function of the state before and of stored samples. Who starts from an
 * earlier state and evaluates the slots since then comes to the same state and the same samples, so
 * that evaluating a slot twice changes nothing. The exception is a rule that reads what it, or a
 * rule behind it, writes: evaluated again, it sees samples of this slot that were not there. No
 * clock, no network.
 */
package io.fleetgauge.query.rules.evaluation;

/**
 * The evaluation of faults, by one query API for the whole cluster.
 *
 * <p>In: the other query APIs, time, and raw samples of all hosts, read through {@code
 * query.answer}. Out: samples of episodes, stored through gateways; and then episodes for {@code
 * query.faults.tell}.
 *
 * <p>{@code SingleOwner} says which query API evaluates; {@code RunningFaults} goes from step to
 * step; {@code FaultReads} reads what hosts have sent since; {@code Evaluation} feeds the engine
 * and makes samples of what it finds; {@code Restoration} reads what the one before has stored, and
 * {@code Telling} what it has told.
 *
 * <p>Law: an episode is stored before it is told. Whoever goes on reads the last hours again and
 * finds the same: it stores the same samples, of the same times. Nothing is published by a process
 * that may have lost the faults; no event loop waits.
 */
package io.fleetgauge.query.faults.running;

/**
 * The real Prometheus beside ours: the same samples in both, the same questions to both.
 *
 * <p>In: questions, from lists, from files, or made at random from a seed. Out: how the answers
 * differ.
 *
 * <p>Law: what a comparison calls equal has the same status, error type, label sets, times,
 * warnings and infos, and the same values: integers to the bit, other numbers within 1e-12.
 */
package io.fleetgauge.load.compare;

/**
 * Comparison with the real Prometheus: the same samples in both, the same queries to both.
 *
 * <p>In: queries from lists, from files, or random from a seed. Out: the differences of the
 * answers.
 *
 * <p>Law: equal answers have the same status, error type, label sets, times, warnings and infos,
 * and the same values: integers to the bit, other numbers within 1e-12.
 */
package io.fleetgauge.load.compare;

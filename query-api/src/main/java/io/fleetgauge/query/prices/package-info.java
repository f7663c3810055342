/**
 * What hours of GPUs and CPUs and memory cost, and how much carbon a kWh stands for: tables that
 * operators write.
 *
 * <p>In: the files {@code report.prices} and {@code report.carbon}, read again when they change.
 * Out: the rules and factors of a time, and the times at which they change. An entry that is not
 * understood is left out, counted and named; while a file as a whole is none, what it said before
 * stays.
 *
 * <p>Law: between two changes that are told, the rules in force and the factor are the same ({@code
 * PricesTest}, {@code CarbonTest}).
 */
package io.fleetgauge.query.prices;

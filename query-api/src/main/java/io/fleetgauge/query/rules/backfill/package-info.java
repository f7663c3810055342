/**
 * Recording rules over a range of the past.
 *
 * <p>In: groups of rules, a range of time, and a way to ask range queries. Out: the samples that
 * the evaluation of the groups would have written, staleness markers included.
 *
 * <p>Law: a back-filled series has the samples that it would have if its rule had been evaluated at
 * the time; a rule that reads what it, or a rule behind it, writes is the exception.
 */
package io.fleetgauge.query.rules.backfill;

/**
 * Rollups: the series of a host aggregated step by step, by rack, tenant, job, model and host, and
 * kept for the queries that ask for them.
 *
 * <p>In: rules that say which metrics have rollups, and the samples of a host. Out: for each
 * expression of a rule ({@link io.fleetgauge.gateway.rollup.RollupKey}), each group of labels and
 * each step the count, the exact sum, the minimum and the maximum of its values ({@link
 * io.fleetgauge.gateway.rollup.RollupPage}); and the aggregation of such pages that a query needs
 * ({@link io.fleetgauge.gateway.rollup.RollupFold}).
 *
 * <p>A group contains all series of the host with the same values of all labels of the rule.
 * Queries group by fewer labels and merge groups. Sums are exact, so the order of merging does not
 * matter.
 *
 * <pre>
 * page   = first:svar steps:uvar others:list(string) list(group)
 * group  = labels:list(name:string value:string) flags:u8 counts row*
 *          flags  bit 0: no step has more than one series, so minimum and maximum equal the sum
 *                 bit 1: a row with the rounding errors of the sums; bit 2: a row with theirs
 * counts = 0:u8 n:uvar (the same at every step) | 1:u8 n:svar, then differences as svar
 * row    = length:uvar chunk*    of at most 120 steps each, as gateway.store.chunk draws them
 *          sum, lost, lost again, minimum, maximum, as the flags say
 * </pre>
 *
 * <p>A page has no version of its own: it is stored in blocks only, and their version covers it.
 *
 * <p>Law: a page is a function of the stored samples, so it is the same on every gateway that has
 * them; an aggregation of pages equals the aggregation of the samples, to the last bit.
 */
package io.fleetgauge.gateway.rollup;

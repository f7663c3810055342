/**
 * What a host's series add up to, step by step: by rack, tenant, job, model and host, ready before
 * anybody asks.
 *
 * <p>In: rules that say which metrics are reduced, and the samples of a host. Out: for each rule's
 * expression ({@link io.fleetgauge.gateway.rollup.RollupKey}), each group of labels and each step
 * the count, the exact sum, the minimum and the maximum of what the expression gives there ({@link
 * io.fleetgauge.gateway.rollup.RollupPage}); and, of those, the fold that a part of a query asks
 * for.
 *
 * <p>A group is all series of the host with the same values of all labels of the rule. What a query
 * groups by is coarser, and made of them when it asks: sums are exact, so that it makes no
 * difference.
 *
 * <pre>
 * page   = first:svar steps:uvar others:list(string) list(group)
 * group  = labels:list(name:string value:string) flags:u8 counts row*
 *          flags  bit 0: no step has more than one series, so that minimum and maximum are the sum
 *                 bit 1: a row of what sums lost to rounding; bit 2: another of what that lost
 * counts = 0:u8 n:uvar (the same at every step) | 1:u8 n:svar, then differences as svar
 * row    = length:uvar chunk*    of at most 120 steps each, as gateway.store.chunk draws them
 *          sum, lost, lost again, minimum, maximum, as the flags say
 * </pre>
 *
 * <p>Law: a page is a function of the samples that are kept, so it is the same on every gateway
 * that has them; whatever is asked of it equals what the samples give, to the last bit.
 */
package io.fleetgauge.gateway.rollup;

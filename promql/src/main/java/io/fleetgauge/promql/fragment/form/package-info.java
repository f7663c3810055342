/**
 * The bytes that several kinds of fragments have in common.
 *
 * <p>In: matchers, samples, results of parts of queries, rows of usage. Out: their bytes; and the
 * way back.
 *
 * <pre>
 * part        = samples:uvar list(warning:u8 text:string start:uvar end:uvar)
 *               list(labels dropped:u8 steps:uvar (0:u8 | 1:u8 present:bit*steps) numbers)
 *               list(group:labels first:labels dropped:u8 counts:numbers rows:u8 numbers*rows)
 *               the second list has columns, the third folds: rows are the sum and, twice, what it
 *               lost to rounding, or the minimum or maximum, or there is none
 * numbers     = 0:u8 n:uvar f64*n | 1:u8 n:uvar (difference:svar)*n | 2:u8 n:uvar f64 (all the same)
 *             | 3:u8 (a row of zeros, left out)
 * symbols     = list(string)
 * labels      = list(name:uvar value:uvar)                        numbers of symbols
 * samples     = n:uvar form:u8 times values
 * times       = svar, then differences of differences as svar
 * values      = form 0: f64 each; form 1 (all integers): svar, then differences as svar;
 *               form 2 (with histograms): each 0:u8 f64, or 1:u8 histogram as HistogramForm draws it
 * usage       = symbols list(name:uvar value:uvar) list(list(uvar)) n:uvar column*29
 *               labels, of numbers of symbols; label sets, of numbers of labels; the columns of n
 *               rows are device and owner (numbers of label sets), interval, the amounts in their
 *               order, counted, peak + 1, memory at the end + 1, peak of the host + 1
 * column      = 0:u8 (zeros) | 1..8:u8 present:bit*n number*present     so many bytes a number
 *             | 16:u8 present:bit*n (low:u64 high:u64)*present | 32+i:u8 (the same as column i)
 * list(x)     = n:uvar x*n
 * </pre>
 *
 * <p>Law: what is read is what was written, bit for bit; any bytes give a value or a {@link
 * io.fleetgauge.sample.wire.WireException}.
 */
package io.fleetgauge.promql.fragment.form;

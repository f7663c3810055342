/**
 * What a gateway keeps of its hosts.
 *
 * <p>In: columns of samples, one tick at a time, from each host's one writer. Out: stretches of
 * series, what they add up to, and names and values of labels, to any number of readers.
 *
 * <p>A {@link io.fleetgauge.gateway.store.Lane} is one host's. Its writer looks a series up once
 * and holds on to it. Readers take what has been published and never block the writer. A series is
 * an open page of raw values, packed runs behind it, samples that came late, and blocks on disk.
 *
 * <pre>
 * runs      = run*
 * run       = column:svar head:u8 [from:u8] values
 *             column  how far from the run before; the first counts from a base beside the runs
 *             head    bits 0-6 number of samples - 1; bit 7: from follows, else it is 0
 *             from    the first of the column's times that is the run's
 *             values  as gateway.store.chunk draws them
 * </pre>
 *
 * <p>Times stand in columns of up to 64, once for all series of a tick stream. When samples have
 * been in memory long enough, a block file takes the runs of half that time as they are; a series
 * with late samples is encoded again, with them in their places. A block is written under another
 * name, forced to the disk and then renamed, so it is whole or not there.
 *
 * <pre>
 * block     = 'F' 'G' 'B' 'K' version:u8(=2) record* rollup* directory footer
 * record    = check:u32 base:svar first:svar last:uvar samples:uvar flags:u8 [summary] runs
 *             check   CRC-32C of the rest
 *             first, last  times of samples, from the block's first time
 *             flags   bit 0: the summary follows
 * summary   = count:uvar min:number max:number sum:number carry:number
 *             of the numbers; not there when one is infinite or NaN, or with histograms
 * number    = 0:u8 svar | 1:u8 f64
 * rollup    = check:u32 page     CRC-32C of the page, which gateway.rollup draws
 * directory = deflated( host:string from:svar to:svar symbols timelines series rollups columns )
 * symbols   = n:uvar string*n
 * timelines = n:uvar (m:uvar (from:svar owner:labels 0:u8|(1:u8 ended:svar))*m)*n
 * series    = n:uvar (labels timeline:uvar length:uvar)*n
 *             timeline  0 none, else the number of a timeline from 1 on; length of the record
 * rollups   = n:uvar (metric:uvar kind:u8 window:uvar length:uvar)*n
 *             metric  a symbol's number; kind 0 the metric, 1 its rate, 2 its increase over window ms
 * labels    = n:uvar (name:uvar value:uvar)*n         numbers of symbols
 * columns   = n:uvar (size:u8 [times])*n              no times when the size is 0
 * footer    = directoryAt:u64 length:u32 inflated:u32 check:u32 'F' 'G' 'B' 'E'
 *             check   CRC-32C of the deflated directory and the footer before
 * </pre>
 *
 * <p>Who owns a GPU is an interval of time beside its series ({@link
 * io.fleetgauge.gateway.store.Dimensions}). A reader sees the series that there would be were the
 * owner part of the labels, each with a staleness marker where it was told to have ended. Two
 * owners of one GPU at one time cannot be intervals; the second is a series of its own.
 *
 * <p>Law: a reader sees a tick whole or not at all. Samples of a series ascend in time; the same
 * sample again changes nothing; a late sample goes where it belongs; another value at a time that
 * is taken, a sample that is later than allowed and one from the future are refused and counted. A
 * series that is known is always taken; a new one is refused above a limit that is named. A bit
 * that flipped on the disk costs the samples of its record, is reported with the file and where in
 * it, and whoever reads that time is told that the host is not whole.
 */
package io.fleetgauge.gateway.store;

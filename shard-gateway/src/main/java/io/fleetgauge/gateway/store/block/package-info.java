/**
 * Block files: some hours of the samples of one host, on disk.
 *
 * <p>In: the packed runs of a host's series, their owners and their rollups. Out: one file, and
 * from that file the same samples and rollups.
 *
 * <p>A block takes the runs as they are. A series with late samples is encoded again, with the late
 * samples in their places. A block is written under another name, forced to the disk, renamed, and
 * its folder forced: it is either complete or absent, and a power failure does not lose it.
 *
 * <pre>
 * block     = 'F' 'G' 'B' 'K' version:u8(=2) record* rollup* directory footer
 * record    = check:u32 base:svar first:svar last:uvar samples:uvar flags:u8 [summary] runs
 *             check   CRC-32C of the rest
 *             first, last  times of samples, from the block's first time
 *             flags   bit 0: the summary follows
 *             runs    as gateway.store.run draws them
 * summary   = count:uvar min:number max:number sum:number carry:number
 *             of the numbers; absent if a number is infinite or NaN, or if there are histograms
 * number    = 0:u8 svar | 1:u8 f64
 * rollup    = check:u32 page     CRC-32C of the page, which gateway.rollup draws; only those that are
 *                                much smaller than the samples of their metric
 * directory = deflated( host:string from:svar to:svar symbols timelines series rollups columns )
 * symbols   = n:uvar string*n
 * timelines = n:uvar (m:uvar (from:svar owner:labels 0:u8|(1:u8 ended:svar))*m)*n
 * series    = n:uvar (labels timeline:uvar length:uvar)*n
 *             timeline  0 none, otherwise the number of a timeline, from 1; length of the record
 * rollups   = n:uvar (metric:uvar kind:u8 window:uvar length:uvar)*n
 *             metric  number of a symbol; kind 0 the metric, 1 its rate, 2 its increase over
 *                     window ms
 * labels    = n:uvar (name:uvar value:uvar)*n         numbers of symbols
 * columns   = n:uvar (size:u8 [times])*n              no times if the size is 0
 * footer    = directoryAt:u64 length:u32 inflated:u32 check:u32 'F' 'G' 'B' 'E'
 *             check   CRC-32C of the deflated directory and the footer before it
 * </pre>
 *
 * <p>Law: a flipped bit costs the samples of its record and no others. It is counted, logged with
 * the file and the position in it, and every reader of that time is informed that the host is
 * incomplete.
 */
package io.fleetgauge.gateway.store.block;

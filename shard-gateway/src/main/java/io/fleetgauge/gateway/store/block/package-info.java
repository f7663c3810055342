/**
 * Block files: some hours of the samples of one host, on disk.
 *
 * <p>In: the packed runs of a host's series, their owners and their rollups. Out: one file, and
 * from that file the same samples and rollups.
 *
 * <p>A block has all samples that a series has in its time as one record, encoded again in the form
 * that takes the fewest bytes; late samples are in their places. Records with the same times share
 * a list of them. A block is written under another name, forced to the disk, renamed, and its
 * folder forced: it is either complete or absent, and a power failure does not lose it.
 *
 * <pre>
 * block     = 'F' 'G' 'B' 'K' version:u8(=1) record* rollup* directory footer
 * record    = check:u32 times:uvar values
 *             check   CRC-32C of the rest
 *             times   number of a list of times
 *             values  all values of a series, as gateway.store.chunk draws them
 * rollup    = check:u32 page     CRC-32C of the page, which gateway.rollup draws; only those that are
 *                                much smaller than the samples of their metric
 * directory = deflated( host:string from:svar to:svar symbols timelines series rollups times
 *             columns )
 * symbols   = n:uvar string*n
 * timelines = n:uvar (m:uvar (from:svar owner:labels 0:u8|(1:u8 ended:svar))*m)*n
 * series    = n:uvar (labels timeline:uvar length:uvar)*n
 *             timeline  0 none, otherwise the number of a timeline, from 1; length of the record
 * rollups   = n:uvar (metric:uvar kind:u8 window:uvar length:uvar)*n
 *             metric  number of a symbol: the name, a byte 0, and what tells the rules that made the
 *                     page from others; kind 0 the metric, 1 its rate, 2 its increase over window
 *                     ms
 * times     = n:uvar (length:uvar runhead*)*n
 * runhead   = column:svar head:u8 [from:u8]          as gateway.store.run draws them; columns count
 *                                                    from 0; length is that of the heads
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

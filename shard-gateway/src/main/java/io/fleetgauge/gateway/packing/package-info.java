/**
 * The frames of the journal's closed segments in few bytes.
 *
 * <p>In: records of a segment, each of frames of one host. Out: a part for each host, in which the
 * values of a series stand side by side, and from a part the same records. A frame that would not
 * come back byte for byte is kept as it is.
 *
 * <pre>
 * part       = raw:uvar deflated( host:string records columns )
 *              raw  the length when inflated
 * records    = n:uvar record*n
 * record     = n:uvar frame*n
 * frame      = 0:u8 length:uvar bytes                  as it is
 *            | 1:u8 run:uvar [number:u64] sequence:svar time:svar additions ids
 *              run        number of the run in the part; its number:u64 follows where it is new
 *              sequence, time   distance from those of the run's tick before, the first from 0
 * additions  = known:svar n:uvar string*n known:svar n:uvar labelset*n
 *                                                      as sample.frame draws them; what is known as
 *                                                      distance from the run's tick before
 * ids        = 0:u8                                    the same as in the run's tick before
 *            | 1:u8 n:uvar gap:uvar*n                  a gap is the distance from the id before less
 *                                                      one; the first id is its gap
 * columns    = (length:uvar values)*                   for each run, for each id in ascending order:
 *                                                      its values, as gateway.store.chunk draws them
 * </pre>
 *
 * <p>Law: what is unpacked is what was packed, byte for byte ({@code FramePackingTest}).
 */
package io.fleetgauge.gateway.packing;

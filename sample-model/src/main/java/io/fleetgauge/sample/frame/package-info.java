/**
 * A tick as bytes: the same in the probe's queue, on the wire, at a replica and in a journal.
 *
 * <p>In: {@link io.fleetgauge.sample.Tick}s of one probe run, or bytes from anywhere. Out: frames,
 * or an error that says what is wrong with the bytes. This package uses no network and no clock.
 *
 * <p>A <em>run</em> is the time from a start of a sender to its end; its number is random, and
 * tells whether the samples were derived from others ({@link
 * io.fleetgauge.sample.frame.DerivedRuns}). Within a run, strings and label sets are numbered in
 * the order of their first use and sent once; a frame says how many of each it takes for known. A
 * receiver that knows fewer asks for the run's dictionary, which is a frame too. (host, run,
 * sequence) names a tick for good, so a frame may be sent twice.
 *
 * <p>A run has at most 1,048,576 strings and 262,144 label sets, of so many bytes that one frame
 * holds its dictionary; its sender begins a new one before. A receiver refuses what exceeds this.
 *
 * <pre>
 * frame       = header body
 * header      = 'F' 'G' version:u8(=1) kind:u8 length:u32 check:u32
 *               kind     1 tick, 2 dictionary
 *               length   bytes in the body, at most 16 MiB
 *               check    CRC-32C of version, kind, length and body
 * body        = host:string run:u64 (tick | dictionary)
 * dictionary  = symbols series                       both from 0 on
 * tick        = sequence:uvar time:svar symbols series present kinds integers doubles histograms
 * symbols     = known:uvar n:uvar string*n           numbers known, known+1, ...
 * series      = known:uvar n:uvar labelset*n         numbers known, known+1, ...
 * labelset    = n:uvar (name:uvar value:uvar)*n      numbers of symbols
 * present     = n:uvar (gap:uvar length:uvar)*n      runs of series numbers, ascending; the gap
 *                                                    counts from the end of the run before
 * kinds       = 2 bits a sample, four in a byte, first one lowest
 *               0 integer  1 double  2 stale  3 histogram
 * integers    = svar for each sample of kind 0
 * doubles     = f64 for each sample of kind 1
 * histograms  = histogram for each sample of kind 3, as HistogramForm draws it
 * </pre>
 *
 * <p>uvar is an unsigned LEB128 varint, svar the same of a zigzag number, string a uvar length and
 * UTF-8; u32, u64 and f64 are little endian. An integer is a double without fraction up to 2^53 and
 * not negative zero.
 *
 * <p>Law: what is decoded is what was encoded, bit for bit, and no bytes make the decoder throw
 * anything but {@link io.fleetgauge.sample.wire.WireException}, loop, or take more memory than a
 * small multiple of the input and of the dictionary ({@code FrameFuzzTest}). Golden bytes in {@code
 * FrameTest} hold the format.
 */
package io.fleetgauge.sample.frame;

/**
 * The byte forms of samples of one series: chunks of a few samples in memory and in rollup pages,
 * pieces for all values of a series in a block.
 *
 * <p>In: values in order of time, at most 128 for a chunk, or as many times. Out: bytes, and from
 * them the same values, bit for bit. The caller stores their number beside the bytes. The hot loops
 * are static methods over primitive arrays, without allocation.
 *
 * <pre>
 * values     = tag:u8 exceptions form
 * tag        bits 0-2 form, bits 3-6 exponent (0 to 15), bit 7 whether there are exceptions
 * exceptions = n:u8 (position:u8 kind:u8 bits)*n     only with bit 7; values that are not integers
 *              kind  0 staleness marker, 1 other, its bits:u64 follow
 * form       = 0 same    base:svar                    every value is base
 *            | 1 frame   width:u8 base:svar bits      value i is base + bits i
 *            | 2 delta   width:u8 first:svar base:svar bits
 *                                                     value i is the one before + base + bits i
 *            | 3 xor     length:uvar first:u64 bits   of the doubles, drawn in XorBits
 *            | 4 mixed   length:uvar (0:u8 f64 | 1:u8 histogram)*
 *                                                     histograms as HistogramForm draws them
 * times      = width:u8 first:svar base:svar bits     time i is the one before + base + bits i
 * </pre>
 *
 * <p>All values of a series in a block:
 *
 * <pre>
 * values     = tag:u8 exceptions form
 * tag        bits 0-1 form, bits 2-5 exponent (0 to 15), bit 7 whether there are exceptions
 * exceptions = n:uvar (distance:uvar kind:u8 bits)*n  only with bit 7; distance from the position of
 *                                                    the one before, the first from 0
 * form       = 0 same    base:svar                   every value is base
 *            | 1 pieces  base:svar unit:uvar piece*  value 0 is base; values after the last piece
 *                                                    are the same as the one before them
 *            | 2 chunks  values*                     chunks of 128 values, the last one of the rest
 * piece      = head:u8 width:u8 least:svar bits
 *             head bits 0-3: an eighth of its values less one, or the rest if there are fewer
 *                  bit 4: 0  value i is base + unit * (least + bits i)
 *                         1  value i is the one before + unit * (least + bits i)
 * </pre>
 *
 * <p>Pieces are cut so that their bytes are fewest: where a GPU stands idle its values take a piece
 * of their own. The unit is the greatest common divisor of all distances from the base: bytes of a
 * file system are counted in pages of it.
 *
 * <p>In forms 0 to 2 of chunks, and 0 and 1 of all values, a value is an integer divided by ten to
 * the power of the exponent: readings with three digits after the point are integers of
 * thousandths. The division is correctly rounded, so the decoded double equals the encoded one; a
 * value for which it does not is an exception, or form 3 is used. Numbers of {@code width} bits (at
 * most 57) follow one another, lowest bit first; the last byte is filled with zeros. Times at a
 * regular distance take no bits.
 *
 * <p>A chunk has no version of its own: it is stored in blocks and rollup pages, whose block
 * version covers it.
 *
 * <p>Law: decoded values equal encoded values, NaN payloads and negative zeros included ({@code
 * ChunkTest}, with golden bytes). Readers may read up to eight bytes after the end: the owner of
 * the bytes leaves {@link io.fleetgauge.gateway.store.chunk.Bits#SLACK} there.
 */
package io.fleetgauge.gateway.store.chunk;

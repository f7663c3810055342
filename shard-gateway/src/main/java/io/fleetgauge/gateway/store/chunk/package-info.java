/**
 * The byte form of a few samples of one series.
 *
 * <p>In: up to 128 values, in order of time, or as many times. Out: bytes, and from them the same
 * values, bit for bit. The caller stores their number beside the bytes. The hot loops are static
 * methods over primitive arrays, without allocation.
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
 * <p>In forms 0 to 2 a value is an integer divided by ten to the power of the exponent: readings
 * with three digits after the point are integers of thousandths. The division is correctly rounded,
 * so the decoded double equals the encoded one; a value for which it does not is an exception, or
 * form 3 is used. Numbers of {@code width} bits (at most 57) follow one another, lowest bit first;
 * the last byte is filled with zeros. Times at a regular distance take no bits.
 *
 * <p>A chunk has no version of its own: it is stored in blocks and rollup pages, whose block
 * version covers it.
 *
 * <p>Law: decoded values equal encoded values, NaN payloads and negative zeros included ({@code
 * ChunkTest}, with golden bytes). Readers may read up to eight bytes after the end: the owner of
 * the bytes leaves {@link io.fleetgauge.gateway.store.chunk.Bits#SLACK} there.
 */
package io.fleetgauge.gateway.store.chunk;

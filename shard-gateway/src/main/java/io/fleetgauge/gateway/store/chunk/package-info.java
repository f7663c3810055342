/**
 * A few samples of one series as bytes.
 *
 * <p>In: up to 128 values, in order of time, or as many times. Out: bytes, and from them the same
 * values, bit for bit. How many there are is kept by the caller, beside the bytes. Hot loops stand
 * here: static methods over primitive arrays, no allocation.
 *
 * <pre>
 * values     = tag:u8 exceptions form
 * tag        bits 0-2 form, bits 3-6 exponent (0 to 15), bit 7 whether there are exceptions
 * exceptions = n:u8 (position:u8 kind:u8 bits)*n     only with bit 7; what no integer can be
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
 * <p>In forms 0 to 2 a value is an integer divided by ten to the exponent: readings with three
 * digits behind the point are integers of thousandths. The division is correctly rounded, so the
 * double that comes out is the one that went in; what fails that test is an exception, or goes into
 * form 3. Bits stand one behind the other, each of {@code width} bits (at most 57), lowest bit
 * first; the last byte is filled with zeros. A regular time costs nothing.
 *
 * <p>Law: what is decoded is what was encoded, NaN payloads and negative zeros included ({@code
 * ChunkTest}, with golden bytes). Readers may look at up to eight bytes behind the end: whoever
 * holds the bytes leaves {@link io.fleetgauge.gateway.store.chunk.Bits#SLACK} there.
 */
package io.fleetgauge.gateway.store.chunk;

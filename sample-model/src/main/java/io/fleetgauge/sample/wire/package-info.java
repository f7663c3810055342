/**
 * Bytes in and out: the few primitives that every binary format of ours is written with.
 *
 * <p>In: numbers and strings, or bytes from anywhere. Out: bytes, or numbers and strings. Varints
 * are LEB128, at most ten bytes; signed ones are zigzag; fixed-width numbers are little endian;
 * strings are UTF-8 behind their length in bytes. {@link io.fleetgauge.sample.wire.ProtobufFields}
 * reads messages of others by their fields.
 *
 * <p>Law: {@link io.fleetgauge.sample.wire.WireReader} takes any bytes. It throws {@link
 * io.fleetgauge.sample.wire.WireException} and nothing else, reads nothing twice, and a count is
 * checked against the bytes that are left before anything is allocated for it.
 */
package io.fleetgauge.sample.wire;

/**
 * Gzip streams (RFC 1952): one from pieces that were compressed apart, on other machines too; and
 * streams unpacked while they arrive.
 *
 * <p>In: bytes, and pieces that are compressed already; or packed bytes from anywhere. Out: what
 * any reader of gzip takes for one stream, where joining pieces changes none of their bytes; or
 * what was packed, a few KiB at a time.
 *
 * <p>Law: unpacked, it is what went in, in its order ({@code GzipStreamTest}, {@code
 * GunzipReaderTest}).
 */
package io.fleetgauge.sample.gzip;

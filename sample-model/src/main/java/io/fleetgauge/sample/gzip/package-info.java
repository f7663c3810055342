/**
 * One gzip stream (RFC 1952) from pieces that were compressed apart, on other machines too.
 *
 * <p>In: bytes, and pieces that are compressed already. Out: what any reader of gzip takes for one
 * stream. Joining pieces changes none of their bytes.
 *
 * <p>Law: unpacked, it is what went in, in its order ({@code GzipStreamTest}).
 */
package io.fleetgauge.sample.gzip;

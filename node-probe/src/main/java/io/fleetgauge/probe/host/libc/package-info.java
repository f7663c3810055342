/**
 * Calls of the C library for what no file says: space of a file system, state of the clock, pages.
 *
 * <p>In: a path. Out: numbers of the kernel's structures, for 64-bit Linux.
 */
package io.fleetgauge.probe.host.libc;

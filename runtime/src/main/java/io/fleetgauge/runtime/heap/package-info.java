/**
 * The size of the Java heap of a process, and whether its JVM uses the cache of classes beside it.
 *
 * <p>In: how much of the old generation is in use, and was after the last collection. Out:
 * collections, when enough of it may be garbage.
 *
 * <p>Law: under load the garbage in the old generation is at most half of what was in use after the
 * last collection and 32 MiB more, and after a load it is collected within half a minute.
 */
package io.fleetgauge.runtime.heap;

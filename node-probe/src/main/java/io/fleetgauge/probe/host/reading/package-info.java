/**
 * Tools of every collector of host metrics: files of the kernel, read into reused buffers, calls of
 * the C library for what no file says, and the samples that go out.
 *
 * <p>In: the folders where proc, sys and the root of the node are mounted. Out: samples, added to a
 * {@link io.fleetgauge.sample.Tick.Builder}.
 *
 * <p>Law: a file that is missing is absence. A word that is not the number it should be, a line
 * without its end and a series that comes twice cost their own samples only, and are counted.
 */
package io.fleetgauge.probe.host.reading;

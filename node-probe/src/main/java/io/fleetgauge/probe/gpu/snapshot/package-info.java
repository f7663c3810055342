/**
 * The result of one reading of the GPUs, for whoever asks: samples by tier, processes, GPUs as
 * schedulers name them, a few values of every second, and how many values could not be right.
 *
 * <p>In: what {@code probe.gpu.reading} reads. Out: objects that hold no handle of the driver.
 *
 * <p>Law: nothing here calls the driver.
 */
package io.fleetgauge.probe.gpu.snapshot;

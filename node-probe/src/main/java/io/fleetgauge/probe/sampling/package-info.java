/**
 * One tick of a node: what all readers read, under the node's own labels.
 *
 * <p>In: readings of the host and of the GPUs. Out: a {@link io.fleetgauge.sample.Tick} with the
 * node's labels on every series and a staleness marker for each series that was there a tick ago
 * and is not any more.
 *
 * <p>Law: a series that ends is said to have ended in the very next tick, once.
 */
package io.fleetgauge.probe.sampling;

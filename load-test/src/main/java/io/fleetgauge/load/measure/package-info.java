/**
 * Throughput and cost of gateways and query APIs.
 *
 * <p>In: how many gateways, hosts and hours. Out: a table of samples a second, processor time,
 * memory and bytes on disk, of our processes and optionally of other programs that get the same
 * bodies. Law: bodies are made before the clock starts, and a load in which a sample is lost or
 * changed fails.
 */
package io.fleetgauge.load.measure;

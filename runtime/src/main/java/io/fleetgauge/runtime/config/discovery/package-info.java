/**
 * Keys that say how gateways are discovered, and how a probe is registered so that others discover
 * it.
 *
 * <p>In: the sections {@code cluster.discovery} of gateways and query APIs, {@code discovery} and
 * {@code registration} of probes. Out: records. What is discovered with them is in {@code
 * cluster.discovery}.
 *
 * <p>Law: a key of a method that is not in use is an error, so that nobody believes it is.
 */
package io.fleetgauge.runtime.config.discovery;

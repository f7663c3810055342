/**
 * The section {@code cluster} of gateways and query APIs.
 *
 * <p>In: the keys of a file. Out: a record.
 *
 * <p>Law: every key has a default, but for how members find each other.
 */
package io.fleetgauge.cluster.config;

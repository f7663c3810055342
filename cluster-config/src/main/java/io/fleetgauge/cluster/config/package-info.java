/**
 * The section {@code cluster} of gateways and query APIs.
 *
 * <p>In: the keys of a file. Out: a record.
 *
 * <p>Law: every key has a default. Members are listed, discovered, or both.
 */
package io.fleetgauge.cluster.config;

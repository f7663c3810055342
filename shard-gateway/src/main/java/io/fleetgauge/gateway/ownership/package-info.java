/**
 * Which hosts are this gateway's.
 *
 * <p>In: the newest view of the cluster, and the epoch that a sender works from. Out: one of four
 * verdicts. No network, no clock, no Hazelcast.
 *
 * <p>Law: at one epoch at most one gateway says that a host is its own; a gateway that knows an
 * older table than the sender does not guess.
 */
package io.fleetgauge.gateway.ownership;

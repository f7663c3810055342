/**
 * Which gateway owns which host: the table, and the pure function that makes the next one from the
 * one before.
 *
 * <p>In: the gateways that are there, the hosts that are known, the table before. Out: the next
 * {@link io.fleetgauge.cluster.table.OwnershipTable}, or the same one when nothing has to change.
 * No clock, no network, no randomness: the same input gives the same table on every member.
 *
 * <p>Law: every host has one owner. No gateway has more than {@code max(15, ceil(hosts/gateways))}
 * hosts, none fewer than {@code min(10, floor(hosts/gateways))}; a host changes its owner only if
 * that one left, or as one of the fewest that these bounds need to move ({@code AssignmentTest}).
 */
package io.fleetgauge.cluster.table;

/**
 * Which gateways hold which host: the table, and the pure function that makes the next one from the
 * one before.
 *
 * <p>In: the gateways that are there, the hosts that are known, what owners say of their copies,
 * the table before. Out: the next {@link io.fleetgauge.cluster.table.OwnershipTable}, or the same
 * one when nothing has to change. No clock, no network, no randomness: the same input gives the
 * same table on every member.
 *
 * <p>A host that is to change its owner gets a copy there first, and the copy becomes the owner
 * when the owner has said that it is whole; few hosts at a time. A host whose owner is gone goes to
 * a copy at once.
 *
 * <p>Law: every host has one owner. When all moves are done, no gateway owns more than {@code
 * max(15, ceil(hosts/gateways))} hosts, none fewer than {@code min(10, floor(hosts/gateways))}; a
 * host changes its owner only if that one left, or as one of the fewest that these bounds need to
 * move. At most two hosts are on the way to or from a gateway. Copies are on other gateways than
 * the owner, in other zones where there are any ({@code AssignmentTest}).
 */
package io.fleetgauge.cluster.table;

/**
 * The cluster: who is there, which hosts are known, and the table that all agree on. The only room
 * that knows Hazelcast.
 *
 * <p>In: settings, and names of hosts that a gateway has heard of. Out: {@link
 * io.fleetgauge.cluster.member.ClusterView}, an immutable snapshot that is swapped when something
 * changes.
 *
 * <p>The oldest gateway writes the table: a pure function of members, hosts and the table before
 * ({@link io.fleetgauge.cluster.table.Assignment}), put by compare-and-set. Everyone swaps its
 * snapshot when a listener says so and, because listeners can be late or lost, every few seconds.
 *
 * <p>Law: every call into Hazelcast happens on this room's own thread. Reading the view or
 * registering a host never waits.
 */
package io.fleetgauge.cluster.member;

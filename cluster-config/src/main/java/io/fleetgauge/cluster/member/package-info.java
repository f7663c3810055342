/**
 * The cluster: who is there, which hosts are known, and the table that all agree on. The only room
 * that knows Hazelcast.
 *
 * <p>In: settings, and names of hosts that a gateway has heard of. Out: {@link
 * io.fleetgauge.cluster.table.ClusterView}, an immutable snapshot that is swapped when something
 * changes.
 *
 * <p>The oldest gateway writes the table: a pure function of members, hosts and the table before
 * ({@link io.fleetgauge.cluster.table.Assignment}), put by compare-and-set, and only while it sees
 * most of the gateways of the table before. Everyone swaps its snapshot when a listener says so
 * and, because listeners can be late or lost, every second. Gateways keep the newest table they
 * know in a file, so that epochs and owners outlive the memory of all.
 *
 * <p>Law: every call into Hazelcast happens on this room's own thread. Reading the view,
 * registering a host and reporting of one never wait.
 */
package io.fleetgauge.cluster.member;

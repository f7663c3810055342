/**
 * This process as a member of the cluster: the members, the known hosts, and the table that all
 * agree on. The only package that knows Hazelcast.
 *
 * <p>In: settings, and names of hosts that a gateway has heard of. Out: {@link
 * io.fleetgauge.cluster.table.ClusterView}, an immutable snapshot that is replaced when something
 * changes.
 *
 * <p>{@link io.fleetgauge.cluster.table.TableMachine} decides; this package carries out: {@code
 * Joining} starts the Hazelcast instance, {@code Registry} reads and writes the shared maps (the
 * table by compare-and-set), {@code TableFile} keeps the newest table, so that epochs and owners
 * outlive the memory of all members. A member looks at the registry when a listener says that
 * something has changed and, because such events can be late or lost, every second. {@code
 * SharedMap} reads each entry by itself: one that cannot be understood is ignored, logged once and
 * counted, and harms nothing else.
 *
 * <p>Law: every call into Hazelcast happens on this package's own thread. Reading the view,
 * registering a host and reporting on one never wait.
 */
package io.fleetgauge.cluster.member;

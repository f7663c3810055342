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
 * outlive the memory of all members. A member polls the registry when a listener says that
 * something has changed and, because such events can be late or lost, when {@link
 * io.fleetgauge.cluster.table.PollSchedule} says so. {@code SharedMap} reads each entry by itself:
 * one that cannot be understood is ignored, logged once and counted, and harms nothing else.
 *
 * <p>Nothing is believed that is not proven, where the cluster has a secret. {@code Handshake}
 * begins each connection between members, so that others cannot speak to Hazelcast at all; each
 * {@code Entry} is sealed for the place where it lies, for the case that somebody takes over a
 * connection. A signed entry that is put there again later does no harm: the table has its epoch, a
 * gateway and its status are those of one membership, and of the reports of one membership the
 * newest one counts. An owner puts its report there again when somebody else replaced it.
 *
 * <pre>
 * entry     = version:u8(=1) session:string sequence:uvar body signature
 *             session    the UUID of the member that wrote it
 *             sequence   rises with each entry that the member writes
 *             signature  by {@link io.fleetgauge.runtime.trust.Seal} as an entry, of the
 *                        cluster's name, the map's, the entry's, and what stands before it;
 *                        absent where no secret is set
 *
 * map                  name            body
 * fleetgauge.members   a session       version:u8(=1) id:string address:string zone:string
 * fleetgauge.hosts     a host          a host, as {@code cluster.table} draws it
 * fleetgauge.table     "table"         a table, as {@code cluster.table} draws it
 * fleetgauge.active    a gateway's id  a status, as {@code cluster.table} draws it
 * fleetgauge.reports   a host          a report, as {@code cluster.table} draws it
 * fleetgauge.apis      a session       a query API, in the form of a gateway
 *
 * connection = hello(connects) hello(accepts) proof(accepts) proof(connects) accepted:u8(0 or 1)
 *              and then what Hazelcast sends
 * hello      = 'F' 'G' 'M' version:u8(=1) hasSecret:u8(0 or 1) nonce:32
 * proof      = signature:32   as a connection, of "accepts" or "connects" and both hellos;
 *                             zeros where no secret is set
 * </pre>
 *
 * <p>Law: every call into Hazelcast happens on this package's own thread. Reading the view,
 * registering a host and reporting on one never wait.
 */
package io.fleetgauge.cluster.member;

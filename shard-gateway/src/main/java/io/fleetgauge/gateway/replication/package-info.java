/**
 * Decides how several gateways hold one host. Plain code without threads, network or clock.
 *
 * <p>{@link io.fleetgauge.gateway.replication.OwnerSide} decides when a body that the owner took is
 * acknowledged. {@link io.fleetgauge.gateway.replication.ReplicaSide} decides what a replica does
 * with what the owner sends, and whether the replica is whole. {@link
 * io.fleetgauge.gateway.replication.Pull} decides how a gateway fetches the samples that only
 * another one has.
 *
 * <p>In: events and the time. Out: effects. So one thread can simulate a cluster from a seed.
 *
 * <p>A <em>session</em> is an uninterrupted sequence of bodies from an owner to one replica. Bodies
 * are numbered within it, so a replica knows that it received all of them in order, and a request
 * may be sent again: what has come is not taken twice. A request that fails, or that the replica
 * asks more time for, is sent again within its session while senders wait. The session ends when
 * the replica is silent for 5 s, asks for time for 30 s, or does not know the session. When a
 * session begins, the replica compares itself with the owner and fetches what is missing; bodies
 * that arrive meanwhile are kept too. From then on until the session ends the replica has
 * everything that the owner has acknowledged: it is <em>whole</em>.
 *
 * <p>Law: a body is acknowledged when the owner has written it to its journal and every replica
 * with an open session has it in memory and journal; when no replica has it, only when it is synced
 * to the owner's disk, and the table no longer calls a replica synced that lacks it, or had a
 * second to change. A gateway in sight that lacks it, and that answers queries by the table before,
 * has learned of the new one, or was silent for a second, or has not learned of it for 30 s. A
 * replica answers that it is whole only in a session in which it has fetched everything from before
 * the session. No replica is lost that answers within these times, however many senders send: these
 * are slowed down.
 */
package io.fleetgauge.gateway.replication;

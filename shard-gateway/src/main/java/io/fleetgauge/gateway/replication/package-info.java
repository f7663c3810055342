/**
 * How several gateways hold one host: the decisions, and nothing else.
 *
 * <p>{@link io.fleetgauge.gateway.replication.OwnerSide} decides when a body that the owner took
 * may be called kept. {@link io.fleetgauge.gateway.replication.CopySide} decides what a copy does
 * with what the owner sends, and whether the copy is whole. {@link
 * io.fleetgauge.gateway.replication.Pull} brings a gateway what another one has of a host and it
 * has not.
 *
 * <p>In: events and what time it is. Out: effects. No threads, no network, no clock, so that one
 * thread can play a cluster from a seed.
 *
 * <p>A <em>session</em> is an unbroken stretch of sending from an owner to one copy. Bodies are
 * numbered within it, so a copy knows that it got all of them in order; when one cannot be
 * delivered the session is over. At the beginning of a session the copy asks the owner what it has
 * from before and fetches what is missing; what comes meanwhile is kept too. From then on until the
 * session ends the copy has all that the owner has acknowledged.
 *
 * <p>Law: a body is called kept when the owner has written it to its journal and every copy whose
 * session stands has it in memory and journal; when no copy has it, only when it is on the owner's
 * disk. A copy says that it is whole only within a session whose beginning it has made up for.
 */
package io.fleetgauge.gateway.replication;

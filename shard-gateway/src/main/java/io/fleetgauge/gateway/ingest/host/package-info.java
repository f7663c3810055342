/**
 * The work of a gateway on one host's samples, as plain code without threads, clock or network.
 *
 * <p>In: bodies of the host's senders, bodies of its owner, pages of other gateways, records of the
 * journal, the newest table. Out: samples in the host's lane, records for the journal, requests to
 * other gateways, reports to the cluster, and one answer for each body. {@link
 * io.fleetgauge.gateway.ingest.host.HostEnvironment} is the seam: a lane thread implements it, and
 * so does the cluster simulation.
 *
 * <p>{@link io.fleetgauge.gateway.ingest.host.AdmissionControl} decides whether a gateway takes a
 * request at all. {@link io.fleetgauge.gateway.ingest.host.HostIntake} is the entry for one host.
 * {@code HostSession} decodes its frames. {@code SenderRuns} has the runs of its senders, and drops
 * the dictionaries of some when they take too much memory. {@code HostRoles} follows the table and
 * passes what arrives to the role that the table gives: {@code OwnerRole} acknowledges bodies and
 * sends them to replicas, {@code ReplicaRole} takes bodies of the owner, {@code FormerHolderRole}
 * offers the samples to the owner and removes them here later. {@code CatchUp} fetches what other
 * gateways have and this one has not. {@code RunProgress} knows which ticks of a run are here;
 * {@code ProbeStaleness} makes the staleness markers and {@code up} 0 of a host whose probe is not
 * heard.
 *
 * <p>Law: {@code kept n} is answered only when every tick up to n is in the lane and in the journal
 * as its policy says and, as {@code gateway.replication} decides, on a replica or on the disk, or
 * was refused for good and counted. A tick that arrives twice changes nothing. Each segment of the
 * journal has the dictionaries that its records need.
 *
 * <p>The room has more than 20 files because one host's state is one thing: its roles, its runs and
 * its staleness change together.
 */
package io.fleetgauge.gateway.ingest.host;

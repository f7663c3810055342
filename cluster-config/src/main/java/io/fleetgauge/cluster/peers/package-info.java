/**
 * The one list of query APIs that are alive.
 *
 * <p>In: which query APIs the cluster's membership shows, heartbeats of them, and time. Out: {@link
 * io.fleetgauge.cluster.peers.PeerList}, an immutable list with a version; heartbeats; and requests
 * to others by name. {@link io.fleetgauge.cluster.peers.PeerMachine} decides, without clock and
 * network; {@link io.fleetgauge.cluster.peers.PeerLink} carries heartbeats over HTTP.
 *
 * <p>Gateways are not in it. A gateway is alive while it is a member of the cluster, and the view
 * ({@code cluster.table}) has these, as one value with the table that says what they hold; hosts
 * move on membership only, so gateways send no heartbeats.
 *
 * <p>Shares of limits and owners of rule groups are functions of the list. What they need to know
 * of each peer travels as notes in the heartbeats: a note is sent until the peer has acknowledged
 * it, and again every minute. The answer to a heartbeat is one, too.
 *
 * <pre>
 * POST /v1/peers/heartbeat
 *
 * heartbeat = version:u8(=1) name:string life:u64 sent:uvar answers:u64 answered:uvar
 *             leaving:u8(0 or 1) count:uvar (topic:string length:uvar note)*
 *             life      is new at each start
 *             sent      us by the sender's clock that never goes back; rises with each heartbeat
 *             answers   the life of the receiver that the sender has heard; 0 if none
 *             answered  the newest {@code sent} of that life
 * </pre>
 *
 * <p>Law: a peer is live for 4 s after its last heartbeat and counted for 2 min, unless it says
 * goodbye or starts again; an acknowledgement proves that the peer heard this process after the
 * time that it names.
 */
package io.fleetgauge.cluster.peers;

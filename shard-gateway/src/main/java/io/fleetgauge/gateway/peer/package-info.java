/**
 * The questions of gateways to each other: to take bodies, on streams ({@link
 * io.fleetgauge.gateway.stream}); for what they have of a host, as HTTP requests.
 *
 * <pre>
 * kind 1  frames  host:string epoch:uvar         for the owner of a host; the body has frames
 *                                the answer is a line of IntakeAnswer
 * kind 2  check   host:string epoch:uvar         the same, and nothing is kept
 * kind 3  copy    host:string epoch:uvar owner:string session:uvar number:uvar count:uvar
 *                                from the owner, by its id, to a replica; the body has frames
 *                                whole | kept | broken | stranger | later | dictionary RUN
 *
 * POST /v1/hosts/HOST/offers?from=ID   asks the owner to pull from that gateway
 *                                200 merged | 409 not merged
 * GET  /v1/hosts/HOST/digest?fine=MS&amp;coarse=MS&amp;until=MS   the digest of the host's samples
 * GET  /v1/hosts/HOST/samples?from=MS&amp;to=MS   a page of frames; X-Fleetgauge-Next is the first time
 *                                of the next page
 * GET  /v1/hosts/HOST/blocks     names of sealed blocks, one per line
 * GET  /v1/hosts/HOST/blocks/NAME
 * GET  /v1/hosts/HOST/usage      names of files of usage, one per line
 * GET  /v1/hosts/HOST/usage/NAME
 *
 * digest = version:u8 intact:u8 runs:uvar run*runs slots:uvar slot*slots
 *                                version is 1; others are refused. intact is 1 if no block is damaged
 *                                and no sample is waited for
 * run    = number:u64 kept:uvar missing:ranges unproven:ranges     ticks up to sequence kept are here,
 *                                but for those that were acknowledged and are missing, and those
 *                                of which it is not known whether there were any
 * ranges = n:uvar range*n                              at most 64, ascending, with gaps between
 * range  = first:uvar more:uvar                        sequences first to first + more
 * slot   = from:svar to:svar count:uvar hash:u64       from (included) to to (not), ms
 * </pre>
 *
 * <p>In: calls of {@link io.fleetgauge.gateway.ingest.host.Peers} and {@link
 * io.fleetgauge.gateway.ingest.host.Owners}, and questions of other gateways. Out: one answer for
 * each.
 *
 * <p>Law: no event loop waits for a disk or for samples. A request without an answer in time has
 * failed. The number of hosts that are pulled at once is limited. Before a host is compared with
 * that of another gateway, its damaged blocks are replaced by the other's.
 */
package io.fleetgauge.gateway.peer;

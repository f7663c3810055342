/**
 * The way between gateways that hold the same hosts, over HTTP.
 *
 * <pre>
 * POST /v1/hosts/HOST/copies     frames from the owner to a copy; headers: X-Fleetgauge-Epoch, -From
 *                                (the owner's id), -Session, -Number, -Count
 *                                200  whole | kept | broken | stranger | later | dictionary RUN
 * POST /v1/hosts/HOST/offers?from=ID   the owner is asked to pull from that gateway
 *                                200 merged | 409 it could not
 * GET  /v1/hosts/HOST/digest?fine=MS&amp;coarse=MS&amp;until=MS   what is here, by slots of time
 * GET  /v1/hosts/HOST/samples?from=MS&amp;to=MS   a page of frames; X-Fleetgauge-Next: where the rest
 *                                begins
 * GET  /v1/hosts/HOST/blocks     names of sealed blocks, a line each
 * GET  /v1/hosts/HOST/blocks/NAME
 *
 * digest = n:uvar (run:u64 kept:uvar)*n m:uvar (from:svar to:svar count:uvar hash:u64)*m
 * </pre>
 *
 * <p>In: what {@link io.fleetgauge.gateway.ingest.host.Peers} asks for, and requests of other
 * gateways. Out: their answers.
 *
 * <p>Law: nothing here waits on an event loop; a request that is not answered in time has failed;
 * how many hosts are pulled at once is bounded.
 */
package io.fleetgauge.gateway.peer;

/**
 * The way from a probe to the gateway that owns its host.
 *
 * <p>In: ticks. Out: frames over one kept-alive HTTP connection, in order, one request at a time;
 * several frames in one when catching up. {@link io.fleetgauge.probe.uplink.UplinkMachine} decides,
 * events in and effects out, without network, clock or Vert.x; {@link
 * io.fleetgauge.probe.uplink.Uplink} carries its effects out.
 *
 * <p>Law: a frame is forgotten only when the gateway said that it is kept, when the bounded queue
 * must drop the oldest, or when the gateway said that it will never take it; each is counted, so
 * that {@code read = kept + queued + dropped + refused} at every moment ({@code
 * UplinkMachineTest}).
 */
package io.fleetgauge.probe.uplink;

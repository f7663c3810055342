/**
 * The way from a probe to the gateway that owns its host.
 *
 * <p>In: ticks. Out: frames over one kept-alive HTTP connection, in order, one request at a time;
 * several frames in one when catching up. {@link io.fleetgauge.probe.uplink.UplinkMachine} decides,
 * events in and effects out, without network, clock or Vert.x; {@link
 * io.fleetgauge.probe.uplink.Uplink} carries its effects out.
 *
 * <p>Frames that are not acknowledged wait in {@code FrameQueue}: the newest in memory, and all of
 * them in {@link io.fleetgauge.probe.uplink.Spool}, a journal on the disk, from which older ones
 * come back a segment at a time and all of them to the next life.
 *
 * <p>Law: a frame is forgotten only when the gateway said that it is kept, when it is too old or
 * there are too many, oldest first, or when the gateway said that it will never take it; each is
 * counted, so that {@code read = kept + queued + dropped + refused} at every moment ({@code
 * UplinkMachineTest}, {@code SpoolTest}).
 */
package io.fleetgauge.probe.uplink;

/**
 * Sends the ticks of a probe to the gateway that owns its host.
 *
 * <p>In: ticks. Out: frames over one kept-alive HTTP connection, in order, one request at a time;
 * several frames in one when catching up. {@link io.fleetgauge.probe.uplink.UplinkMachine} decides,
 * events in and effects out, without network, clock or Vert.x; {@link
 * io.fleetgauge.probe.uplink.Uplink} carries its effects out.
 *
 * <p>Frames that are not acknowledged are kept in {@code FrameQueue}: the newest in memory, and all
 * of them in {@link io.fleetgauge.probe.uplink.Spool}, a journal on the disk, from which older ones
 * are read back one segment at a time, and all of them after a restart.
 *
 * <p>Law: a frame leaves the queue only when a gateway acknowledged it (kept), when it is too old
 * or the queue is full (dropped, oldest first), or when a gateway refuses it for good (refused);
 * each is counted, so that {@code read = kept + queued + dropped + refused} at every moment ({@code
 * UplinkMachineTest}, {@code SpoolTest}).
 */
package io.fleetgauge.probe.uplink;

/**
 * Sends samples to other stores by remote write.
 *
 * <p>In: samples of the hosts that this gateway owns, as the store reads them; late samples, from
 * the lanes; the table. Out: requests of remote write to each receiver, and what has been sent, to
 * a file and to the other gateways that hold the host.
 *
 * <p>A host's samples leave in two lanes. New samples leave first, some seconds after their time,
 * so that all of a time are there. Samples that came late, and those of a time in which the
 * receiver was away, follow in the other lane at a limited rate.
 *
 * <p>{@link io.fleetgauge.gateway.sender.HeldHosts} decides which hosts are sent, {@link
 * io.fleetgauge.gateway.sender.ReceiverSender} whose turn it is, {@link
 * io.fleetgauge.gateway.sender.HostSender} what leaves, {@link
 * io.fleetgauge.gateway.sender.SentProgress} knows what has left. {@link
 * io.fleetgauge.gateway.sender.SampleSenders} alone has timers, files and connections; the
 * simulation of the tests replaces it.
 *
 * <p>Law: a sample leaves until the receiver has accepted or refused it, as long as it is stored.
 * It leaves once, unless an answer was lost or its host has another owner since. Within a lane the
 * samples of a series are in order of time, but for those that come late.
 */
package io.fleetgauge.gateway.sender;

/**
 * Sends samples to other stores by remote write.
 *
 * <p>In: samples of the hosts that this gateway owns, as the store reads them; samples that come
 * late, from the lanes. Out: requests of remote write to each receiver, and what has left, to the
 * other gateways that hold the host.
 *
 * <p>A host's samples leave in two lanes. New samples leave first, some seconds after their time,
 * so that all of a time are there. Samples that came late, and those of a time in which the
 * receiver was away, follow in the other lane at a limited rate. Within a lane the samples of a
 * series are in order of time.
 *
 * <p>Law: a sample leaves until the receiver has acknowledged or refused it, as long as it is
 * stored. It leaves once, unless an acknowledgement was lost or its host has another owner since.
 */
package io.fleetgauge.gateway.sender;

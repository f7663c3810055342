/**
 * Takes in the frames of probes.
 *
 * <p>In: requests of {@link io.fleetgauge.sample.frame.IntakeProtocol}; bodies and pages of other
 * gateways, by way of {@code gateway.peer}; samples of remote writes. Out: work for {@link
 * io.fleetgauge.gateway.ingest.host.HostIntake} on the host's lane thread, and one {@link
 * io.fleetgauge.sample.frame.IntakeAnswer} for each request.
 *
 * <p>Every host belongs to one of a few lane threads. This thread decodes the host's frames and is
 * the only one that writes its lane. The number of requests that wait for a lane thread is limited;
 * the next one is answered with 503. After a start the threads replay blocks and journal. New
 * frames are accepted meanwhile and wait until their host is replayed. Maintenance seals old
 * samples into blocks and deletes segments of the journal that are no longer needed.
 *
 * <p>Law: every request gets one answer. A bad body harms only its sender. A segment of the journal
 * is deleted only when the samples in it are in blocks or have expired. No lane thread waits for a
 * disk.
 */
package io.fleetgauge.gateway.ingest;

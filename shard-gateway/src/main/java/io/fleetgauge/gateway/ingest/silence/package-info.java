/**
 * The samples that the owner of a host supposes while it hears nothing of the host's probe.
 *
 * <p>In: time that passes, and the newest sample of each series that the probe sent. Out: frames
 * with markers and with {@code up} 0, to be taken in like those of a sender.
 *
 * <p>Law: what is supposed has the time that a true sample would have, and is nothing when that
 * comes.
 */
package io.fleetgauge.gateway.ingest.silence;

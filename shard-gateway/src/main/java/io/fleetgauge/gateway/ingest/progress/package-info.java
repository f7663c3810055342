/**
 * Which ticks of a run are here.
 *
 * <p>In: the sequence numbers of ticks as they come. Out: those that are kept, missing, or not
 * proven to be here.
 *
 * <p>Law: a tick that was acknowledged and is not here is known to be missing.
 */
package io.fleetgauge.gateway.ingest.progress;

/**
 * Episodes: each fault as one event from its start to its end.
 *
 * <p>In: what detectors find at each tick of a host or step of a job. Out: {@link
 * io.fleetgauge.query.faults.episode.Episode}, with evidence, count and suspects; {@link
 * io.fleetgauge.query.faults.episode.EpisodeTrack} begins, changes and ends them.
 *
 * <p>Law: while the signs of a fault last there is one episode of it, however often and by however
 * many detectors they are seen; it ends once. No clock, no network.
 */
package io.fleetgauge.query.faults.episode;

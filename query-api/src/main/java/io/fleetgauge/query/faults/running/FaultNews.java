package io.fleetgauge.query.faults.running;

import io.fleetgauge.query.faults.episode.Episode;

/**
 * An episode that has begun, tells more, or is over.
 *
 * @param home the host with whose samples it is kept
 * @param at the time of the sample that tells it, ms since the epoch
 */
record FaultNews(Episode episode, String home, long at) {}

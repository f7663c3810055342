package io.fleetgauge.load.nodes.jobs;

/**
 * A GPU of a job.
 *
 * @param gpu of the node, from 0
 */
public record Rank(Place place, int gpu) {}

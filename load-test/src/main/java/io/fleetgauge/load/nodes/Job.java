package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.driver.Work;

/**
 * A job or pod.
 *
 * @param number that Slurm gives it
 * @param began ms since the epoch
 */
public record Job(
    String name, long number, String tenant, String kind, Work work, long began, long ends) {}

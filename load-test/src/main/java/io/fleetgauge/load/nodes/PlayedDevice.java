package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.jobs.Job;
import java.util.List;

/**
 * What has been played of a GPU that is not divided, or of a GPU instance, at a tick.
 *
 * @param gpu the UUID
 * @param instance number of the instance, from 1; 0 for the GPU
 * @param jobs that have it; several share it
 * @param busy part of the time in which a kernel runs, percent
 * @param milliwatts that the GPU draws, with all its instances
 * @param limitMilliwatts the most that it may draw
 * @param millijoules that the GPU has used since its driver was loaded, with all its instances
 * @param bytes memory that is used
 */
public record PlayedDevice(
    String gpu,
    int instance,
    List<Job> jobs,
    double busy,
    long milliwatts,
    long limitMilliwatts,
    long millijoules,
    long bytes) {}

package io.fleetgauge.query.faults.detect;

/**
 * A GPU or host that may be the cause of a fault of a job.
 *
 * @param uuid of the GPU; empty for the host as a whole
 * @param rank in the job's communicator; -1 if it is not known
 * @param why it is one, in a few words
 */
public record Suspect(String host, String uuid, int rank, String why) {}

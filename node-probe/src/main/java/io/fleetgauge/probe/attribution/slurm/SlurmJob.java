package io.fleetgauge.probe.attribution.slurm;

import io.fleetgauge.sample.Labels;

/**
 * A job of the cluster; texts are empty where Slurm tells nothing.
 *
 * @param id as the label {@code hpc_job} has it
 * @param arrayJob id of the array it is a part of
 * @param arrayTask its number in the array
 * @param nodes as Slurm writes lists of nodes, such as {@code n[1-4]}
 */
record SlurmJob(
    String id,
    String user,
    String account,
    String partition,
    String name,
    String arrayJob,
    String arrayTask,
    String nodes) {
  Labels labels() {
    return Labels.of(
        "hpc_job",
        id,
        "user",
        user,
        "account",
        account,
        "partition",
        partition,
        "name",
        name,
        "array_job",
        arrayJob,
        "array_task",
        arrayTask,
        "nodes",
        nodes);
  }
}

package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.jobs.Activity;

/**
 * What jobs do on a host.
 *
 * @param cores CPUs that are busy
 * @param read bytes/s from disks
 * @param written bytes/s to disks
 * @param blocked processes in uninterruptible sleep
 * @param network bytes/s over RDMA, each way
 */
record HostLoad(double cores, double read, double written, int blocked, double network) {
  private static final double MOST_CORES = 32;

  /** A host of which no more is known than how busy it is, from 0 to 1. */
  static HostLoad of(double activity) {
    return new HostLoad(MOST_CORES * activity, 1e8 * activity, 2e7 * activity, 0, 0);
  }

  /**
   * Adds what a rank does.
   *
   * @param parts into which its GPU is divided
   */
  HostLoad and(Activity rank, int parts) {
    return new HostLoad(
        cores + (rank.cores() + rank.others()) / parts,
        read + rank.read() / parts,
        written + rank.written() / parts,
        blocked + rank.blocked(),
        network + rank.network() / parts);
  }
}

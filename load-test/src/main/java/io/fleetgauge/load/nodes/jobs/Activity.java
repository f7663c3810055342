package io.fleetgauge.load.nodes.jobs;

import io.fleetgauge.load.nodes.driver.Work;

/**
 * What a rank of a job does at a time: on its GPU, on its host, on its network.
 *
 * @param cores CPUs that its processes keep busy
 * @param read bytes/s that its processes read
 * @param written bytes/s that they write
 * @param blocked processes in uninterruptible sleep
 * @param network bytes/s over RDMA, each way
 * @param behind collective operations that the other ranks have begun and this one has not
 * @param others CPUs that other processes, which do not hold the GPU, keep busy for it
 */
public record Activity(
    Work work,
    double cores,
    double read,
    double written,
    int blocked,
    double network,
    int behind,
    double others) {
  public static final Activity NONE = new Activity(Work.NONE, 0, 0, 0, 0, 0, 0);

  Activity(
      Work work,
      double cores,
      double read,
      double written,
      int blocked,
      double network,
      int behind) {
    this(work, cores, read, written, blocked, network, behind, 0);
  }

  Activity(Work work, double cores, double read, double written, double network) {
    this(work, cores, read, written, 0, network, 0);
  }

  Activity with(Work newWork) {
    return new Activity(newWork, cores, read, written, blocked, network, behind, others);
  }

  Activity withBehind(int newBehind) {
    return new Activity(work, cores, read, written, blocked, network, newBehind, others);
  }

  Activity withOthers(double newOthers) {
    return new Activity(work, cores, read, written, blocked, network, behind, newOthers);
  }

  Activity withNetwork(double newNetwork) {
    return new Activity(work, cores, read, written, blocked, newNetwork, behind, others);
  }
}

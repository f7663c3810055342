package io.fleetgauge.load.nodes.jobs;

import io.fleetgauge.load.nodes.driver.Board;

/**
 * Where a node is and what it has.
 *
 * @param number of the node in the fleet, from 0
 * @param rack number of its rack, from 1
 * @param position in the rack, from 0
 * @param divided whether half of its GPUs are divided into instances
 */
public record Place(int number, int rack, int position, Board board, boolean divided) {
  private static final int INSTANCES = 2;
  private static final int ADDRESSES = 200;

  public String hostname() {
    return String.format("gpu-node-%02d", number + 1);
  }

  /** The address of the node. */
  public String address() {
    return "10.20." + number / ADDRESSES + "." + (10 + number % ADDRESSES);
  }

  public String rackName() {
    return "rack-" + rack;
  }

  /**
   * Tells whether Slurm runs jobs on it, in a pod that it always has; else Kubernetes runs pods.
   */
  public boolean isOfSlurm() {
    return !divided && board != Board.L40S;
  }

  /** Number of instances that a GPU is divided into; 0 for none. */
  public int instances(int gpu) {
    return divided && gpu < board.perNode() / 2 ? INSTANCES : 0;
  }

  /** The name that Slurm gives the node, and of the pod that it is. */
  public String worker() {
    return "worker-" + rackName() + "-" + position;
  }

  public String uuid(int gpu) {
    return String.format(
        "GPU-%08x-7c1e-4a52-8d3b-%012x", (number + 1) * 0x9e3779b1L & 0xffffffffL, gpu);
  }
}

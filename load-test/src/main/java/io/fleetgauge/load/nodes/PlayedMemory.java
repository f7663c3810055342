package io.fleetgauge.load.nodes;

import io.fleetgauge.sample.Labels;

/**
 * Memory of the host that has been played of one owner of GPUs at a tick.
 *
 * @param slot number of the owner among those of the node; it is used again
 * @param owner labels of the owner
 * @param bytes memory that it uses, for all of its GPUs
 */
record PlayedMemory(int slot, Labels owner, long bytes) {
  private static final long BYTES = 16L << 30;
  private static final long BYTES_OF_CORE = 1L << 30;

  /**
   * Memory of the process on one GPU, or on a part of one.
   *
   * @param parts instances of the GPU, or owners that share it
   */
  static PlayedMemory of(int slot, Labels owner, double cores, int parts) {
    return new PlayedMemory(slot, owner, (BYTES + Math.round(cores * BYTES_OF_CORE)) / parts);
  }

  /** Memory of the same owner on several GPUs. */
  PlayedMemory plus(PlayedMemory other) {
    return new PlayedMemory(Math.min(slot, other.slot), owner, bytes + other.bytes);
  }
}

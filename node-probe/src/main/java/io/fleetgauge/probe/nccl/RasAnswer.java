package io.fleetgauge.probe.nccl;

import java.util.List;
import java.util.OptionalLong;

/**
 * The status of one job, as its RAS port tells it. Immutable.
 *
 * @param version of NCCL, such as 2.28.7; empty when it is not told
 * @param communicators all that have ranks on this node; in the text of before 2.28 those with an
 *     error only
 * @param nodes the number of nodes that the answer names
 * @param processes the number of processes of the job; 0 when it is not told
 * @param perNode the number of its processes on each node, or the most of a node; 0 when it is not
 *     told
 */
record RasAnswer(
    String version, List<Communicator> communicators, int nodes, int processes, int perNode) {
  RasAnswer {
    communicators = List.copyOf(communicators);
  }

  /**
   * A communicator.
   *
   * @param id hexadecimal digits, the same on each node
   * @param size the number of its ranks
   * @param missing the number of those that do not answer, or are considered dead
   * @param ranks those of this node that the answer names
   * @param others operations of each rank that is not named; empty when nothing is known of it
   */
  record Communicator(String id, int size, int missing, List<Rank> ranks, OptionalLong others) {
    Communicator {
      ranks = List.copyOf(ranks);
    }
  }

  /**
   * A rank of a process of this node.
   *
   * @param pid in the PID namespace of the process
   * @param device index of the GPU as the driver counts for the process
   * @param operations collective operations that it has begun; empty when it does not answer
   */
  record Rank(int rank, int pid, int device, OptionalLong operations) {}

  /** The id of a communicator whose hash is told as a number. */
  static String id(long hash) {
    return String.format("%016x", hash);
  }
}

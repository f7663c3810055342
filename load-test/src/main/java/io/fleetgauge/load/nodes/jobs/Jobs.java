package io.fleetgauge.load.nodes.jobs;

import java.util.Optional;

/** A schedule: which job holds a GPU at a time. */
public interface Jobs {
  /**
   * The job that holds a GPU of the node, or an instance of one, if any.
   *
   * @param instance of the GPU, from 0; -1 for the whole GPU
   */
  Optional<Job> on(Place place, int gpu, int instance, long time);
}

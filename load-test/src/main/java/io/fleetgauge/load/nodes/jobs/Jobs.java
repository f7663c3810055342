package io.fleetgauge.load.nodes.jobs;

import java.util.List;
import java.util.Optional;

/** A schedule: which job holds a GPU at a time. */
public interface Jobs {
  /**
   * The job that holds a GPU of the node, or an instance of one, if any.
   *
   * @param instance of the GPU, from 0; -1 for the whole GPU
   */
  Optional<Job> on(Place place, int gpu, int instance, long time);

  /** The jobs that share a GPU, which is not divided, in time slices; none if it is not shared. */
  default List<Job> sharers(Place place, int gpu, long time) {
    return List.of();
  }
}

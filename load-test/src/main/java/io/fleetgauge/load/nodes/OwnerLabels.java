package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.jobs.Job;
import io.fleetgauge.load.nodes.jobs.Place;
import io.fleetgauge.sample.Labels;
import java.util.Optional;

/** The labels by which a series tells who has its GPU. */
final class OwnerLabels {
  private OwnerLabels() {}

  /**
   * @param part the GPU instance, from 0
   */
  static Labels labels(Place place, int gpu, int part, Optional<Job> job) {
    Labels pod = place.isOfSlurm() ? worker(place) : pod(place, gpu, part, job);
    if (job.isEmpty()) {
      return pod;
    }
    Labels of = pod.with("job", job.get().name()).with("tenant", job.get().tenant());
    return place.isOfSlurm() ? of.with("hpc_job", Long.toString(job.get().number())) : of;
  }

  private static Labels worker(Place place) {
    String pod = place.worker();
    return Labels.of(
        "namespace", "soperator", "pod", pod, "container", "slurmd", "exported_pod", pod);
  }

  private static Labels pod(Place place, int gpu, int part, Optional<Job> job) {
    if (job.isEmpty()) {
      return Labels.EMPTY;
    }
    String pod = String.format("%s-%d-%d", job.get().name(), place.number(), 2 * gpu + part);
    return Labels.of(
        "namespace",
        job.get().tenant(),
        "pod",
        pod,
        "container",
        job.get().word(),
        "exported_pod",
        pod);
  }
}

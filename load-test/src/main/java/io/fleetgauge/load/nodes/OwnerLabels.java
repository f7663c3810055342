package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.jobs.Job;
import io.fleetgauge.load.nodes.jobs.Place;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Optional;

/** The labels by which a series tells who has its GPU. */
final class OwnerLabels {
  private static final String[] USERS = {"ana", "ben", "chi"};

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
    return place.isOfSlurm()
        ? of.with("hpc_job", Long.toString(job.get().number())).with("user", user(job.get()))
        : of;
  }

  /** Each tenant has as many users. */
  private static String user(Job job) {
    return USERS[(int) (job.number() % USERS.length)] + "-" + job.tenant();
  }

  /** What the owners of a GPU that they share have in common, as attribution shows it. */
  static Labels common(List<Labels> owners) {
    Labels common = owners.getFirst();
    for (Labels owner : owners) {
      for (int i = common.size() - 1; i >= 0; i--) {
        if (!owner.value(common.name(i)).equals(common.value(i))) {
          common = common.without(common.name(i));
        }
      }
    }
    return common.with("shared", "true");
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

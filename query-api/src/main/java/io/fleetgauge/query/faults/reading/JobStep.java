package io.fleetgauge.query.faults.reading;

import io.fleetgauge.sample.Labels;
import java.util.List;

/**
 * The GPUs of a job at one step of the grid, over all its hosts.
 *
 * @param job by which the job is known
 * @param owner labels that all its GPUs share: {@code job}, {@code tenant} and so on
 * @param time the step, ms since the epoch
 * @param gpus ordered by host and index
 */
public record JobStep(String job, Labels owner, long time, List<JobGpu> gpus) {
  /**
   * A GPU of the job.
   *
   * @param host the newest tick of its host up to the step
   * @param fresh true if that tick is not older than the host's ticks usually are: an older one
   *     says nothing about now
   */
  public record JobGpu(HostTick host, GpuTick gpu, boolean fresh) {}

  /** Labels of the place that all its hosts share, such as the region, and those of the owner. */
  public Labels labels() {
    Labels place = null;
    for (JobGpu each : gpus) {
      Labels of = each.host.place();
      place = place == null ? of : place.common(of);
    }
    return place == null ? owner : place.with(owner);
  }
}

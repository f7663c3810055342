package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.sample.Labels;

/**
 * What a fault is of.
 *
 * @param host empty for a whole job
 * @param uuid of the GPU; empty for none
 * @param part of the host or GPU, such as {@code mlx5_0/1}, or an NVLink's number; empty for none
 * @param job empty unless the fault is of a job
 * @param labels for people and for scopes: {@code rack}, {@code gpu}, {@code modelName}, the owner;
 *     they are not a part of what tells two subjects apart
 */
public record Subject(String host, String uuid, String part, String job, Labels labels) {
  public static Subject of(HostTick host) {
    return new Subject(host.host(), "", "", "", host.place());
  }

  public static Subject of(HostTick host, GpuTick gpu) {
    return new Subject(
        host.host(),
        gpu.uuid(),
        "",
        "",
        host.place().with(gpu.labels().without("UUID")).with(gpu.owner()));
  }

  /** A part of it. */
  public Subject part(String name) {
    return new Subject(host, uuid, name, job, labels);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Subject subject
        && host.equals(subject.host)
        && uuid.equals(subject.uuid)
        && part.equals(subject.part)
        && job.equals(subject.job);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * (31 * host.hashCode() + uuid.hashCode()) + part.hashCode()) + job.hashCode();
  }
}

package io.fleetgauge.query.faults.engine;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.sample.Labels;

/** A job: two tenants may call theirs the same. */
record JobKey(String job, String tenant, String namespace) {
  static JobKey of(GpuTick gpu) {
    return of(gpu.job(), gpu.owner());
  }

  static JobKey of(String job, Labels labels) {
    return new JobKey(job, labels.value("tenant"), labels.value("namespace"));
  }
}

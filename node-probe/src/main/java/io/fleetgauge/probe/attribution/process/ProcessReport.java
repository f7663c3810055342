package io.fleetgauge.probe.attribution.process;

import io.fleetgauge.probe.attribution.runtime.ContainerNames;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import java.util.Set;

/** Series of the reading of processes itself; it never waits. */
public final class ProcessReport implements Reader {
  private static final double MILLIS = 1000;

  private final ProcessSampling sampling;
  private final ContainerNames names;
  private final TickClass core;

  public ProcessReport(ProcessSampling sampling, ContainerNames names, TickClass core) {
    this.sampling = sampling;
    this.names = names;
    this.core = core;
  }

  @Override
  public String name() {
    return "processes_of_gpus_report";
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(core);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) {
    out.add(core, "used_gpu_memory_status", Labels.EMPTY, sampling.status());
    sampling
        .leftOut()
        .forEach(
            (kind, count) ->
                out.add(core, "gpu_process_series_left_out", Labels.of("kind", kind.label), count));
    for (ContainerNames.Status runtime : names.status()) {
      Labels source = Labels.of("source", runtime.socket().toString());
      out.add(core, "gpu_attribution_up", source, runtime.isUp() ? 1 : 0);
      out.add(core, "gpu_attribution_errors_total", source, runtime.errors());
      runtime
          .ageMillis()
          .ifPresent(age -> out.add(core, "gpu_attribution_age_seconds", source, age / MILLIS));
    }
  }
}

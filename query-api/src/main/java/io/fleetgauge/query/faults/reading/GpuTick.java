package io.fleetgauge.query.faults.reading;

import io.fleetgauge.sample.Labels;
import java.util.SortedMap;

/**
 * All that was read of a GPU at a tick.
 *
 * @param labels {@code UUID}, {@code gpu}, {@code modelName} and others that it keeps
 * @param owner the labels of who has it: {@code job}, {@code tenant} and so on; empty for nobody
 * @param links of the GPU, by number
 * @param codes of XIDs that have been reported, by code
 * @param ranks of its processes, by communicator
 */
public record GpuTick(
    Labels labels,
    Labels owner,
    Readings readings,
    SortedMap<String, Readings> links,
    SortedMap<String, Readings> codes,
    SortedMap<String, Readings> ranks) {
  public String uuid() {
    return labels.value("UUID");
  }

  public String model() {
    return labels.value("modelName");
  }

  /** The job that has it; empty for none. */
  public String job() {
    return owner.value("job").isEmpty() ? owner.value("hpc_job") : owner.value("job");
  }

  public double get(Signal signal) {
    return readings.get(signal);
  }

  public boolean has(Signal signal) {
    return readings.has(signal);
  }

  public double rate(Signal signal) {
    return readings.rate(signal);
  }
}

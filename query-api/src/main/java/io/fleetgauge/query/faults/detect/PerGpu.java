package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What a detector remembers of each GPU of a host. */
final class PerGpu<T> {
  /** GPUs that were replaced and are remembered still. */
  private static final int MOST_GONE = 32;

  private final Supplier<T> first;
  private final Map<String, T> all = new HashMap<>();

  PerGpu(Supplier<T> first) {
    this.first = first;
  }

  T of(HostTick tick, GpuTick gpu) {
    T known = all.get(gpu.uuid());
    if (known == null) {
      if (all.size() > tick.gpus().size() + MOST_GONE) {
        all.keySet().retainAll(tick.gpus().stream().map(GpuTick::uuid).collect(Collectors.toSet()));
      }
      known = first.get();
      all.put(gpu.uuid(), known);
    }
    return known;
  }
}

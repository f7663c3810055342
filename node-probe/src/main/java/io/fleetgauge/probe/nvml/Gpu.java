package io.fleetgauge.probe.nvml;

import io.fleetgauge.sample.Labels;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import jnr.ffi.Pointer;

/** One GPU as the reader knows it: its handle, its labels, and what it cannot say. */
final class Gpu {
  final Pointer handle;

  /** gpu, UUID, device, modelName, pci_bus_id. */
  final Labels labels;

  final Set<GpuCall> unsupported = EnumSet.noneOf(GpuCall.class);
  boolean lost;
  private final Map<String, Labels> series = new HashMap<>();

  Gpu(Pointer handle, Labels labels) {
    this.handle = handle;
    this.labels = labels;
  }

  Labels series(String metric) {
    return series.computeIfAbsent(metric, name -> labels.with(Labels.NAME, name));
  }
}

package io.fleetgauge.probe.nvml;

import jnr.ffi.Pointer;

/** A profiling sample that the driver allocated. */
public record GpmSample(Pointer pointer) {
  public long address() {
    return pointer.address();
  }
}

package io.fleetgauge.probe.nvml;

import jnr.ffi.Pointer;

/** A handle of the driver: a GPU, or a MIG device of one. */
public final class NvmlDevice {
  final Pointer pointer;
  private final int gpu;

  NvmlDevice(Pointer pointer, int gpu) {
    this.pointer = pointer;
    this.gpu = gpu;
  }

  /** Index of its GPU at the driver. */
  public int gpu() {
    return gpu;
  }

  public long address() {
    return pointer.address();
  }
}

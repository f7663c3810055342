package io.fleetgauge.probe.nvml;

import jnr.ffi.Pointer;

/** A set of events that the driver allocated. */
public record EventSet(Pointer pointer) {}

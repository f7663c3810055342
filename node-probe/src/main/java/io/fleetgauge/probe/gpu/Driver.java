package io.fleetgauge.probe.gpu;

import io.fleetgauge.probe.nvml.CallLog;
import io.fleetgauge.probe.nvml.Nvml;

/** Where the driver's library comes from. */
public interface Driver {
  /**
   * Opens the library.
   *
   * @param log takes every call
   * @throws UnsatisfiedLinkError if there is none
   */
  Nvml open(CallLog log);
}

package io.fleetgauge.probe.faults;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuEvent;

/**
 * A fault of a GPU or of the driver.
 *
 * @param kind what happened
 * @param xid the code of an XID; else 0
 * @param gpu its labels; empty for a fault of the driver as a whole
 * @param time when it began, ms since the epoch
 */
public record GpuFault(GpuEvent kind, int xid, Labels gpu, long time) {
  public String uuid() {
    return gpu.value("UUID");
  }

  boolean isLike(GpuFault other) {
    return kind == other.kind && xid == other.xid && gpu.equals(other.gpu);
  }
}

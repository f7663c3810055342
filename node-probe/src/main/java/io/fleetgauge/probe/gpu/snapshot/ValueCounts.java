package io.fleetgauge.probe.gpu.snapshot;

import io.fleetgauge.probe.nvml.NvmlCall;
import java.util.concurrent.atomic.AtomicLongArray;

/** Values that were not taken as the driver told them. One thread counts; any thread may look. */
public final class ValueCounts {
  private final AtomicLongArray dropped = new AtomicLongArray(NvmlCall.values().length);
  private volatile long clamped;

  /** A value that was never set or cannot be right. */
  public void dropped(NvmlCall call) {
    dropped.lazySet(call.ordinal(), dropped.get(call.ordinal()) + 1);
  }

  /** A ratio above 1. */
  public void clamped() {
    clamped = clamped + 1;
  }

  /** Ratios that were cut. */
  public long clampedRatios() {
    return clamped;
  }

  /**
   * @param call its place in {@link NvmlCall}
   */
  public long dropped(int call) {
    return dropped.get(call);
  }
}

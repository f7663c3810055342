package io.fleetgauge.query.faults.detect;

import io.fleetgauge.sample.gpu.FaultKind;

/**
 * The thresholds of hangs, which {@code fault-thresholds.yaml} explains one by one. Times are in
 * ms, shares from 0 to 1.
 */
record HangLimits(
    long rasAfter,
    long signatureAfter,
    long silenceAfter,
    long fatalAfter,
    long busyAfter,
    long worked,
    long rasWorked,
    long silenceWorked,
    long triedOut,
    long triedOutOnHost,
    double flatness,
    double ofLevel,
    double ofLimit,
    double tensor,
    double dram,
    double linkBytes,
    double linkShare,
    double memoryBytes,
    double ioBytes,
    double cpuCores,
    double cpuShare,
    double duty,
    double ioDuty,
    double pauses) {
  /** Time between two steps of the grid. */
  static final long STEP_MILLIS = 15_000;

  static HangLimits of(Thresholds all) {
    return all.of(FaultKind.HANG).as(HangLimits.class);
  }
}

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
    Thresholds.OfKind hang = all.of(FaultKind.HANG);
    return new HangLimits(
        hang.millis("rasAfter"),
        hang.millis("signatureAfter"),
        hang.millis("silenceAfter"),
        hang.millis("fatalAfter"),
        hang.millis("busyAfter"),
        hang.millis("worked"),
        hang.millis("rasWorked"),
        hang.millis("silenceWorked"),
        hang.number("flatness"),
        hang.number("ofLevel"),
        hang.number("ofLimit"),
        hang.number("tensor"),
        hang.number("dram"),
        hang.number("linkBytes"),
        hang.number("linkShare"),
        hang.number("memoryBytes"),
        hang.number("ioBytes"),
        hang.number("cpuCores"),
        hang.number("cpuShare"),
        hang.number("duty"),
        hang.number("ioDuty"),
        hang.number("pauses"));
  }
}

package io.fleetgauge.query.faults.detect;

import io.fleetgauge.sample.gpu.FaultKind;

/** Thresholds of stragglers; {@code fault-thresholds.yaml} says what each is and why. */
record StragglerLimits(
    long windowSeconds,
    int windows,
    double deviations,
    double share,
    double cappedShare,
    int leastGpus,
    long young,
    double leastPower,
    double equalWork,
    double equalShare,
    double sameWork,
    double samePower,
    double throttled,
    double slowed,
    double steady,
    double felt,
    double cpuPressure,
    double cpuIdle,
    double leastIdle,
    double ioWait,
    double restartsPerSecond,
    double portErrorsPerSecond,
    double linkEventsPerSecond,
    double replaysPerSecond,
    double hardlyAny,
    double bandwidth,
    double ease) {
  static StragglerLimits of(Thresholds thresholds) {
    return thresholds.of(FaultKind.STRAGGLER).as(StragglerLimits.class);
  }
}

package io.fleetgauge.query.faults.detect;

import io.fleetgauge.sample.gpu.FaultKind;

/** Thresholds of stragglers; {@code fault-thresholds.yaml} says what each is and why. */
record StragglerLimits(
    long window,
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
    double slowRestarts,
    double portErrors,
    double linkEvents,
    double replays,
    double hardlyAny,
    double bandwidth,
    double ease) {
  static StragglerLimits of(Thresholds thresholds) {
    Thresholds.OfKind of = thresholds.of(FaultKind.STRAGGLER);
    return new StragglerLimits(
        of.millis("windowSeconds"),
        (int) of.number("windows"),
        of.number("deviations"),
        of.number("share"),
        of.number("cappedShare"),
        (int) of.number("leastGpus"),
        of.millis("young"),
        of.number("leastPower"),
        of.number("equalWork"),
        of.number("equalShare"),
        of.number("sameWork"),
        of.number("samePower"),
        of.number("throttled"),
        of.number("slowed"),
        of.number("steady"),
        of.number("felt"),
        of.number("cpuPressure"),
        of.number("cpuIdle"),
        of.number("leastIdle"),
        of.number("ioWait"),
        of.number("restartsPerSecond"),
        of.number("portErrorsPerSecond"),
        of.number("linkEventsPerSecond"),
        of.number("replaysPerSecond"),
        of.number("hardlyAny"),
        of.number("bandwidth"),
        of.number("ease"));
  }
}

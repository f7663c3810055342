package io.fleetgauge.load.measure;

import io.fleetgauge.load.traffic.GpuFleet;

/**
 * Samples and queries of a load.
 *
 * @param hosts of 380 series each
 * @param hours length of the backlog
 * @param seed of all values
 * @param restSeconds pause after a backlog until memory and disk are looked at
 * @param liveSeconds how long live samples are measured; 0 for not at all
 * @param refreshPasses over the panels of refreshed dashboards; 0 for none
 * @param isScale whether the cost of queries over all hosts is measured after the backlog
 * @param federate whether scrapes of everything are measured
 * @param viewers whether many viewers and tenants are measured
 * @param rules of which the cost is measured; 0 for none
 */
record LoadPlan(
    int hosts,
    double hours,
    long seed,
    int restSeconds,
    int liveSeconds,
    int refreshPasses,
    boolean isScale,
    boolean federate,
    boolean viewers,
    int rules) {
  int ticks() {
    return (int) Math.max(1, Math.round(hours * 3_600_000 / GpuFleet.TICK));
  }

  /** Tells whether anything is measured after the backlog, for which the systems stay. */
  boolean goesOn() {
    return liveSeconds > 0 || refreshPasses > 0 || federate || viewers || rules > 0;
  }
}

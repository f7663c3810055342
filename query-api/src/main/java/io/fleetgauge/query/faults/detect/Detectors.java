package io.fleetgauge.query.faults.detect;

import java.util.List;

/** The one list of detectors. */
public final class Detectors {
  private Detectors() {}

  /** New detectors for a host. */
  public static List<HostDetector> ofHost(Thresholds thresholds) {
    return List.of(
        new DriverDetector(thresholds),
        new GpuEvents(thresholds),
        new GpuSigns(thresholds),
        new IdleAllocations(thresholds),
        new NvlinkDetector(thresholds),
        new NvlinkTrend(thresholds),
        new FabricDetector(thresholds),
        new MemoryLeak(thresholds),
        new PortDetector(thresholds));
  }

  /** New detectors for a job. */
  public static List<JobDetector> ofJob(Thresholds thresholds) {
    return List.of(
        new HangDetector(thresholds),
        new StragglerDetector(thresholds),
        new UtilisationDropDetector(thresholds));
  }
}

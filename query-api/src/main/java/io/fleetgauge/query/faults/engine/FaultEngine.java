package io.fleetgauge.query.faults.engine;

import io.fleetgauge.query.faults.detect.Thresholds;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.sample.Series;
import java.util.Collection;
import java.util.List;

/** Finds the faults of a cluster's hosts, GPUs and jobs. Not for several threads. */
public final class FaultEngine {
  public FaultEngine(Thresholds thresholds, Collection<String> ownerLabels) {
    this(thresholds, ownerLabels, List.of());
  }

  /**
   * @param ownerLabels labels that say who has a GPU
   * @param shadows faults that are recorded and not alerted
   */
  public FaultEngine(
      Thresholds thresholds, Collection<String> ownerLabels, List<ShadowRule> shadows) {}

  /** Hosts that should be there: they are told as silent even if they never sent. */
  public void expect(Collection<String> hosts) {}

  /**
   * Takes over open episodes, which another process has told. Before the first sample.
   *
   * <p>What is found of times up to the last tick of a host before {@code time} is not told again.
   */
  public void restore(List<Episode> open) {}

  /**
   * Takes new raw samples of one host, those of a host in order of time.
   *
   * @param samples of the metrics of {@code Signal}; of times up to the step that is next
   */
  public void feed(String host, List<Series> samples) {}

  /** Goes on to a step of the grid. */
  public void at(long time) {}

  /** Takes the episodes that have begun, tell more than before, or are over. */
  public List<Episode> changes() {
    return List.of();
  }

  /** The open episodes. */
  public List<Episode> open() {
    return List.of();
  }
}

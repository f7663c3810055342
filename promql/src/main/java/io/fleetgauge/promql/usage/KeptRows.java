package io.fleetgauge.promql.usage;

/** Rows of usage of a host that are kept after their samples have expired. */
public interface KeptRows {
  /** The terms by which usage was counted. */
  UsageTerms terms();

  /** Returns true if GPUs seem to be the exporter's, as {@link UsageLabels} finds. */
  boolean isOfExporter();

  /**
   * Adds the rows.
   *
   * @param places of their intervals
   */
  void addTo(UsageSums sums, UsagePlaces places);
}

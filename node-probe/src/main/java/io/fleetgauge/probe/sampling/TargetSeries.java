package io.fleetgauge.probe.sampling;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;

/**
 * The series that Prometheus makes of the scrape of a target.
 *
 * @param target the labels of the target
 */
public record TargetSeries(Labels target) {
  /**
   * Adds them.
   *
   * @param seconds how long the scrape took
   * @param scraped samples before relabelling
   * @param kept samples after it
   * @param added series that began
   */
  public void add(
      Tick.Builder out, boolean isUp, double seconds, int scraped, int kept, int added) {
    out.add(named("up"), isUp ? 1 : 0);
    out.add(named("scrape_duration_seconds"), seconds);
    out.add(named("scrape_samples_scraped"), scraped);
    out.add(named("scrape_samples_post_metric_relabeling"), kept);
    out.add(named("scrape_series_added"), added);
  }

  private Labels named(String metric) {
    return target.with(Labels.NAME, metric);
  }
}

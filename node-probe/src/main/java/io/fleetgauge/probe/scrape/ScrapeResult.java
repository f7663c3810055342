package io.fleetgauge.probe.scrape;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.TextExposition;
import java.util.List;
import java.util.Map;

/**
 * The result of one scrape.
 *
 * @param trouble why it failed; empty if it did not
 * @param seconds how long it took
 * @param scraped samples on the page
 * @param kept samples after relabelling
 * @param added series that the page before did not have
 * @param samples of the page; none if it failed
 * @param dated samples with times of their own
 * @param families type and help by metric
 */
record ScrapeResult(
    String trouble,
    double seconds,
    int scraped,
    int kept,
    int added,
    Tick samples,
    List<Dated> dated,
    Map<String, TextExposition.Family> families) {

  /** A sample with a time of its own. */
  record Dated(long time, Labels labels, double value) {}

  boolean isUp() {
    return trouble.isEmpty();
  }
}

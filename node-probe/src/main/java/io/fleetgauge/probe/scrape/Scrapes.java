package io.fleetgauge.probe.scrape;

import io.fleetgauge.probe.config.ScrapeSettings;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.prometheus.TextExposition;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Every exporter that is scraped. Safe for all threads. */
public final class Scrapes implements AutoCloseable {
  private final Map<String, ScrapeCounts> counts = new LinkedHashMap<>();
  private final List<Scraping> scrapings = new ArrayList<>();
  private final List<TargetReader> readers = new ArrayList<>();

  /**
   * @param host the node's name
   * @param tick time between two ticks
   * @throws StartFailure if a file with a secret cannot be used
   */
  public Scrapes(Vertx vertx, List<ScrapeSettings> targets, String host, Duration tick)
      throws StartFailure {
    for (ScrapeSettings target : targets) {
      ScrapeCounts of = new ScrapeCounts();
      Scraping scraping = new Scraping(vertx, target, host, of);
      counts.put(target.name(), of);
      scrapings.add(scraping);
      readers.add(new TargetReader(target, scraping, tick.dividedBy(3)));
    }
  }

  /** One for each target. They wait for their targets, so no other reader is to come after them. */
  public List<Reader> readers() {
    return List.copyOf(readers);
  }

  /** Reads all secrets again; may block. */
  public void look() {
    scrapings.forEach(Scraping::look);
  }

  /** What the last pages said of type and help, by metric. */
  public Map<String, TextExposition.Family> families() {
    Map<String, TextExposition.Family> families = new HashMap<>();
    readers.forEach(reader -> reader.families().forEach(families::putIfAbsent));
    return families;
  }

  public void declare(Meters meters) {
    if (counts.isEmpty()) {
      return;
    }
    meters.counters(
        "scrape_failures",
        "Failed scrapes of exporters, by exporter and reason; none of their samples counts.",
        List.of("target", "reason"),
        () -> counts(reason -> !reason.isOfSample()));
    meters.counters(
        "scrape_samples_refused",
        "Samples of exporters that were left out of a page that was used otherwise, by reason.",
        List.of("target", "reason"),
        () -> counts(Reason::isOfSample));
  }

  private Map<List<String>, Long> counts(Predicate<Reason> which) {
    Map<List<String>, Long> all = new HashMap<>();
    counts.forEach(
        (target, of) ->
            of.each(
                (reason, count) -> {
                  if (which.test(reason)) {
                    all.put(List.of(target, reason.text()), count);
                  }
                }));
    return all;
  }

  @Override
  public void close() {
    scrapings.forEach(Scraping::close);
  }
}

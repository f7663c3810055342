package io.fleetgauge.probe.scrape;

import io.fleetgauge.probe.config.ScrapeSettings;
import io.fleetgauge.probe.sampling.ProbePart;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.runtime.files.FilePoller;
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
import java.util.Optional;
import java.util.function.Predicate;

/** Every exporter that is scraped. Safe for all threads. */
public final class Scrapes implements ProbePart {
  private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

  private final Vertx vertx;
  private final List<ScrapeSettings> targets;
  private final String host;
  private final Duration patience;
  private final Map<String, ScrapeCounts> counts = new LinkedHashMap<>();
  private final List<Scraper> scrapings = new ArrayList<>();
  private final List<TargetReader> readers = new ArrayList<>();
  private Optional<FilePoller> poller = Optional.empty();

  /**
   * @param host the node's name
   * @param tick time between two ticks
   */
  public Scrapes(Vertx vertx, List<ScrapeSettings> targets, String host, Duration tick) {
    this.vertx = vertx;
    this.targets = targets;
    this.host = host;
    this.patience = tick.dividedBy(3);
  }

  /**
   * @throws StartFailure if a file with a secret cannot be used
   */
  @Override
  public void start() throws StartFailure {
    for (ScrapeSettings target : targets) {
      ScrapeCounts of = new ScrapeCounts();
      Scraper scraping = new Scraper(vertx, target, host, of);
      counts.put(target.name(), of);
      scrapings.add(scraping);
      readers.add(new TargetReader(target, scraping, patience));
    }
    if (!scrapings.isEmpty()) {
      poller =
          Optional.of(
              FilePoller.start(vertx, "secrets of scraped exporters", LOOK_EVERY, this::look));
    }
  }

  /** One for each target. They wait for their targets, so no other reader is to come after them. */
  @Override
  public List<Reader> readers() {
    return List.copyOf(readers);
  }

  /** Reads all secrets again; may block. */
  void look() {
    scrapings.forEach(Scraper::look);
  }

  /** Type and help by metric, as the last pages said. */
  public Map<String, TextExposition.Family> families() {
    Map<String, TextExposition.Family> families = new HashMap<>();
    readers.forEach(reader -> reader.families().forEach(families::putIfAbsent));
    return families;
  }

  @Override
  public void declare(Meters meters) {
    if (counts.isEmpty()) {
      return;
    }
    meters.counters(
        "scrape_failures",
        "Failed scrapes of exporters, by exporter and reason.",
        List.of("target", "reason"),
        () -> counts(reason -> !reason.isOfSample()));
    meters.counters(
        "scrape_samples_refused",
        "Samples that were left out of otherwise valid pages of exporters, by reason.",
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
    poller.ifPresent(FilePoller::close);
    scrapings.forEach(Scraper::close);
  }
}

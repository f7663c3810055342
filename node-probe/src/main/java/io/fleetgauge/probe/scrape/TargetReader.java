package io.fleetgauge.probe.scrape;

import io.fleetgauge.probe.config.ScrapeSettings;
import io.fleetgauge.probe.sampling.NotYet;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TargetSeries;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.TextExposition;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The series of one target. */
final class TargetReader implements Reader {
  private static final Logger LOG = LoggerFactory.getLogger(TargetReader.class);
  private static final long SAID_EVERY_MILLIS = Duration.ofMinutes(1).toMillis();

  private final ScrapeSettings settings;
  private final Scraper scraping;
  private final TickClass tickClass;
  private final Duration patience;
  private final TargetSeries target;
  private long said = -SAID_EVERY_MILLIS;
  private volatile CompletableFuture<ScrapeResult> waiting;
  private volatile long begun;
  private volatile Map<String, TextExposition.Family> families = Map.of();

  /**
   * @param patience how long a tick waits for the target
   */
  TargetReader(ScrapeSettings settings, Scraper scraping, Duration patience) {
    this.settings = settings;
    this.scraping = scraping;
    this.tickClass = new TickClass(settings.interval());
    this.patience = patience;
    this.target = new TargetSeries(settings.target());
  }

  @Override
  public String name() {
    return "scrape_" + settings.name();
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(tickClass);
  }

  /** Type and help by metric, of the last page. */
  Map<String, TextExposition.Family> families() {
    return families;
  }

  @Override
  public void begin(Set<TickClass> due, long time) {
    begun = System.nanoTime();
    if (waiting == null) {
      waiting = scraping.scrape(time);
    }
  }

  @Override
  public void read(Set<TickClass> due, Readings out) throws NotYet, InterruptedException {
    ScrapeResult result = result();
    waiting = null;
    say(result);
    Tick samples = result.samples();
    for (int i = 0; i < samples.size(); i++) {
      out.add(tickClass, samples.series().get(i), samples.values()[i]);
    }
    for (ScrapeResult.Dated one : result.dated()) {
      out.addAt(one.time(), one.labels(), one.value());
    }
    target.add(
        out.of(tickClass),
        result.isUp(),
        result.seconds(),
        result.scraped(),
        result.kept(),
        result.added());
    if (result.isUp()) {
      families = result.families();
    }
  }

  private ScrapeResult result() throws NotYet, InterruptedException {
    long left = patience.toNanos() - (System.nanoTime() - begun);
    try {
      return waiting.get(Math.max(0, left), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new NotYet();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private void say(ScrapeResult result) {
    long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    if (!result.isUp() && now - said >= SAID_EVERY_MILLIS) {
      said = now;
      LOG.warn(
          "the scrape of {}, {}, failed: {}", settings.name(), settings.url(), result.trouble());
    }
  }
}

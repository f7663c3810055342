package io.fleetgauge.probe.scrape;

import io.fleetgauge.probe.config.ScrapeSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.BadPage;
import io.fleetgauge.sample.prometheus.PageFormat;
import io.fleetgauge.sample.prometheus.PageLine;
import io.fleetgauge.sample.prometheus.PageReader;
import io.fleetgauge.sample.prometheus.TextExposition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One page of a target, while it arrives. Not for several threads. */
final class ScrapedPage implements PageReader.Sink {
  /** Most different times of samples with times of their own. */
  static final int MAX_TIMES = 1_000;

  private static final long MOST_AHEAD = Duration.ofMinutes(10).toMillis();
  private static final long MOST_BEHIND = Duration.ofHours(1).toMillis();
  private static final String TOTAL = "_total";

  private record Taken(SeriesCache.Entry entry, boolean hasTime, long time, double value) {}

  private final ScrapeSettings settings;
  private final TargetLabels labels;
  private final SeriesCache cache;
  private final ScrapeCounts counts;
  private final PageFormat format;
  private final PageReader reader;
  private final long tick;
  private final List<Taken> taken = new ArrayList<>();
  private final Set<Long> times = new HashSet<>();
  private final Map<String, String> types = new HashMap<>();
  private final Map<String, String> helps = new HashMap<>();
  private long bytes;
  private int scraped;
  private int offered;
  private int kept;
  private int added;
  private boolean beyondLimit;
  private Reason reason = Reason.PAGE;

  /**
   * @param cache what is known of pages before
   * @param tick time of samples without one, ms
   */
  ScrapedPage(
      ScrapeSettings settings,
      TargetLabels labels,
      SeriesCache cache,
      ScrapeCounts counts,
      PageFormat format,
      long tick) {
    this.settings = settings;
    this.labels = labels;
    this.cache = cache;
    this.counts = counts;
    this.format = format;
    this.tick = tick;
    this.reader = new PageReader(format, this);
  }

  /** Takes the next unpacked bytes. */
  void take(byte[] some, int from, int to) throws BadPage {
    bytes += to - from;
    if (bytes >= settings.limits().bodyBytes()) {
      reason = Reason.BODY_LIMIT;
      throw new BadPage("the page has maxBody, " + settings.limits().bodyBytes() + " B, or more");
    }
    reader.take(some, from, to);
  }

  /** The page is whole. */
  void end() throws BadPage {
    reader.end();
    if (beyondLimit) {
      reason = Reason.SAMPLE_LIMIT;
      throw new BadPage(
          "the page has "
              + offered
              + " samples, more than maxSamples, "
              + settings.limits().samples());
    }
  }

  /** Why the page was refused, where it was. */
  Reason reason() {
    return reason;
  }

  @Override
  public void sample(PageLine line, String type) throws BadPage {
    scraped++;
    boolean hasTime = line.hasTime() && settings.honorTimestamps();
    long time = hasTime ? line.time() : tick;
    SeriesCache.Entry known = cache.get(line.bytes(), line.seriesFrom(), line.seriesTo());
    SeriesCache.Entry entry = known == null ? read(line, type) : known;
    if (entry.isDropped()) {
      cache.seen(entry);
      return;
    }
    kept++;
    boolean isRepeated = known != null && cache.isOfThisPage(known);
    if (known != null) {
      cache.seen(known);
    }
    if (isRepeated && !hasTime) {
      counts.add(Reason.DUPLICATE);
    } else if (++offered > settings.limits().samples()) {
      beyondLimit = true;
    } else if (fits(entry, hasTime, time, line.value())) {
      taken.add(new Taken(entry, hasTime, time, line.value()));
      if (known == null) {
        cache.keep(line.bytes(), line.seriesFrom(), line.seriesTo(), entry);
        added += beyondLimit ? 0 : 1;
      }
    }
  }

  private SeriesCache.Entry read(PageLine line, String type) throws BadPage {
    String[] pairs = line.pairs(type);
    cache.share(pairs);
    Labels of = labels.of(pairs);
    SeriesCache.Entry entry = cache.entry(of);
    if (entry.isDropped()) {
      cache.keep(line.bytes(), line.seriesFrom(), line.seriesTo(), entry);
      return entry;
    }
    if (of.metric().isEmpty()) {
      throw new BadPage("a sample has no name");
    }
    String excess = labels.excess(of);
    if (!excess.isEmpty()) {
      reason = Reason.LABEL_LIMIT;
      throw new BadPage(excess);
    }
    return entry;
  }

  /** Tells whether a series may have this sample beside those that it has; counts why not. */
  private boolean fits(SeriesCache.Entry entry, boolean hasTime, long time, double value) {
    if (hasTime && (time > tick + MOST_AHEAD || time < tick - MOST_BEHIND)) {
      counts.add(Reason.OUT_OF_BOUNDS);
    } else if (time < entry.lastTime()) {
      counts.add(Reason.OUT_OF_ORDER);
    } else if (time == entry.lastTime() && !entry.isLast(value)) {
      counts.add(Reason.DUPLICATE);
    } else if (hasTime && !times.contains(time) && times.size() == MAX_TIMES) {
      counts.add(Reason.TIMES_LIMIT);
    } else {
      if (hasTime) {
        times.add(time);
      }
      return true;
    }
    return false;
  }

  @Override
  public void type(String family, String type) {
    if (types.size() < settings.limits().samples()) {
      types.put(family, type);
    }
  }

  @Override
  public void help(String family, String help) {
    if (helps.size() < settings.limits().samples()) {
      helps.put(family, help);
    }
  }

  @Override
  public void unit(String family, String unit) {
    // The name says it too.
  }

  /** The result of a page that can be used; its samples become known. */
  ScrapeResult result(double seconds) {
    Tick.Builder samples = new Tick.Builder();
    List<ScrapeResult.Dated> dated = new ArrayList<>();
    for (Taken one : taken) {
      SeriesCache.Entry entry = one.entry();
      if (!one.hasTime()) {
        entry.has(one.time(), one.value());
        samples.add(entry.labels, one.value());
      } else if (one.time() > entry.lastTime()) {
        entry.has(one.time(), one.value());
        dated.add(new ScrapeResult.Dated(one.time(), entry.labels, one.value()));
      } else if (one.time() < entry.lastTime()) {
        counts.add(Reason.OUT_OF_ORDER);
      } else if (!entry.isLast(one.value())) {
        counts.add(Reason.DUPLICATE);
      }
    }
    cache.end(true);
    return new ScrapeResult("", seconds, scraped, kept, added, samples.at(tick), dated, families());
  }

  /** The result of a page that cannot be used. */
  ScrapeResult refused(String trouble, double seconds) {
    cache.end(false);
    return new ScrapeResult(
        trouble, seconds, scraped, kept, added, new Tick.Builder().at(tick), List.of(), Map.of());
  }

  private Map<String, TextExposition.Family> families() {
    Map<String, TextExposition.Family> families = new HashMap<>();
    Set<String> named = new HashSet<>(types.keySet());
    named.addAll(helps.keySet());
    for (String family : named) {
      String type = types.getOrDefault(family, "");
      boolean isCounter = type.equals("counter");
      String name = isCounter && format == PageFormat.OPENMETRICS ? family + TOTAL : family;
      families.put(
          name,
          new TextExposition.Family(
              isCounter || type.equals("gauge") ? type : "untyped",
              helps.getOrDefault(family, "")));
    }
    return families;
  }
}

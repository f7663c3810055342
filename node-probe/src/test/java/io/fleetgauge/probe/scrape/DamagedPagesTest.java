package io.fleetgauge.probe.scrape;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.config.ScrapeSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.BadPage;
import io.fleetgauge.sample.prometheus.PageFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Pages of real exporters with damage, by a seed. {@code ScrapeComparisonTest} says what Prometheus
 * does with such pages.
 */
@Tag("slow")
class DamagedPagesTest {
  private static final int PAGES = 100_000;
  private static final long TICK = 1_760_000_010_000L;
  private static final String PIECES = "\"\\{}=,# \n\t\r\u0000n1eé😀_.+-NaN09azTYPEHELP";
  private static final String[] SEEDS = {
    "gpu.text",
    "node-exporter.text",
    "prometheus.text",
    "gpu.openmetrics",
    "node-exporter.openmetrics",
    "prometheus.openmetrics"
  };

  private record Seed(PageFormat format, byte[] page, Map<Labels, Double> samples) {}

  private final SplittableRandom random = new SplittableRandom(20_261_124);

  private static ScrapeSettings settings() throws Exception {
    return ProbeConfig.read("f", "scrape: {t: {url: 'http://h:1', maxSamples: 60, maxLabels: 20}}")
        .scrape()
        .getFirst();
  }

  private static Seed seed(String name) throws Exception {
    byte[] page = resource(name);
    PageFormat format = name.endsWith(".text") ? PageFormat.TEXT : PageFormat.OPENMETRICS;
    Scrape scrape = new Scrape(format, settings());
    scrape.page.take(page, 0, page.length);
    scrape.page.end();
    return new Seed(format, page, samples(scrape.page.result(0)));
  }

  static byte[] resource(String name) throws IOException {
    try (InputStream in = DamagedPagesTest.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  /** A scrape of a target that nothing is known of. */
  private static final class Scrape {
    final ScrapeCounts counts = new ScrapeCounts();
    final ScrapedPage page;

    Scrape(PageFormat format, ScrapeSettings settings) {
      page =
          new ScrapedPage(
              settings, new TargetLabels(settings, "n1"), new SeriesCache(), counts, format, TICK);
    }
  }

  private static Map<Labels, Double> samples(ScrapeResult result) {
    Map<Labels, Double> samples = new HashMap<>();
    for (int i = 0; i < result.samples().size(); i++) {
      samples.putIfAbsent(result.samples().series().get(i), result.samples().values()[i]);
    }
    result.dated().forEach(one -> samples.putIfAbsent(one.labels(), one.value()));
    return samples;
  }

  private byte[] damaged(byte[] page) {
    byte[] damaged = page.clone();
    for (int hits = 1 + random.nextInt(3); hits > 0; hits--) {
      int at = random.nextInt(damaged.length);
      int other = random.nextInt(damaged.length);
      byte[] piece =
          PIECES.substring(random.nextInt(PIECES.length())).getBytes(StandardCharsets.UTF_8);
      int length = 1 + random.nextInt(3);
      switch (random.nextInt(8)) {
        case 0 -> damaged[at] = (byte) random.nextInt(256);
        case 1, 2 -> damaged[at] = piece.length == 0 ? 0 : piece[0];
        case 3 -> damaged = Arrays.copyOf(damaged, at + 1); // cut off
        case 4 -> damaged = spliced(damaged, at, at, piece, 0, Math.min(length, piece.length));
        case 5 ->
            damaged = spliced(damaged, at, Math.min(damaged.length, at + length), piece, 0, 0);
        case 6 -> // a part of it comes again somewhere else
            damaged =
                spliced(
                    damaged,
                    at,
                    at,
                    page,
                    Math.min(other, page.length),
                    Math.min(page.length, other + 90));
        default -> // a line comes again, or goes
            damaged = line(damaged, at);
      }
      if (damaged.length == 0) {
        return new byte[] {'\n'};
      }
    }
    return damaged;
  }

  private byte[] line(byte[] page, int at) {
    int from = at;
    while (from > 0 && page[from - 1] != '\n') {
      from--;
    }
    int to = at;
    while (to < page.length && page[to] != '\n') {
      to++;
    }
    to = Math.min(page.length, to + 1);
    return random.nextBoolean()
        ? spliced(page, from, from, page, from, to)
        : spliced(page, from, to, page, 0, 0);
  }

  private static byte[] spliced(byte[] page, int at, int behind, byte[] with, int from, int to) {
    byte[] all = new byte[page.length - (behind - at) + Math.max(0, to - from)];
    System.arraycopy(page, 0, all, 0, at);
    System.arraycopy(with, from, all, at, Math.max(0, to - from));
    System.arraycopy(page, behind, all, at + Math.max(0, to - from), page.length - behind);
    return all;
  }

  private static ScrapeResult read(Scrape scrape, byte[] page, int piece) {
    try {
      for (int from = 0; from < page.length; from += piece) {
        scrape.page.take(page, from, Math.min(page.length, from + piece));
      }
      scrape.page.end();
      return scrape.page.result(0);
    } catch (BadPage e) {
      scrape.counts.add(scrape.page.reason());
      return scrape.page.refused(e.getMessage(), 0);
    }
  }

  private static long counted(ScrapeCounts counts, boolean ofSamples) {
    long sum = 0;
    for (Reason reason : Reason.values()) {
      sum += reason.isOfSample() == ofSamples ? counts.of(reason) : 0;
    }
    return sum;
  }

  /** The lines of a page that are wholly as in the seed. */
  private static Set<String> lines(byte[] page) {
    return new HashSet<>(List.of(new String(page, StandardCharsets.ISO_8859_1).split("\n")));
  }

  @Test
  void aHundredThousandDamagedPagesGiveWhatIsOnThemOrNothingAndACount() throws Exception {
    ScrapeSettings settings = settings();
    List<Seed> seeds = new ArrayList<>();
    for (String name : SEEDS) {
      seeds.add(seed(name));
      assertThat(seeds.getLast().samples()).as(name).hasSizeGreaterThan(10);
    }
    Map<Reason, Long> reasons = new EnumMap<>(Reason.class);
    int refused = 0;
    int used = 0;
    for (int i = 0; i < PAGES; i++) {
      Seed seed = seeds.get(i % seeds.size());
      byte[] page = damaged(seed.page());
      Scrape scrape = new Scrape(seed.format(), settings);
      ScrapeResult result = read(scrape, page, page.length);
      scrape.counts.each((reason, count) -> reasons.merge(reason, count, Long::sum));
      if (!result.isUp()) {
        refused++;
        assertThat(counted(scrape.counts, false)).isEqualTo(1);
        assertThat(result.samples().size() + result.dated().size()).isZero();
        assertThat(result.trouble()).isNotBlank();
        continue;
      }
      used++;
      assertThat(counted(scrape.counts, false)).isZero();
      long known = result.samples().size() + result.dated().size() + counted(scrape.counts, true);
      // The same value at the same time again is the same sample.
      boolean mayRepeat = !result.dated().isEmpty();
      assertThat(known)
          .as("samples are kept or counted")
          .isBetween(mayRepeat ? 0L : result.kept(), (long) result.kept());
      unchangedLinesHaveTheirValues(seed, page, samples(result));
      if (i % 10 == 0) {
        ScrapeResult again =
            read(new Scrape(seed.format(), settings), page, 1 + random.nextInt(50));
        assertThat(samples(again)).isEqualTo(samples(result));
      }
    }
    assertThat(refused).isGreaterThan(PAGES / 4);
    assertThat(used).isGreaterThan(PAGES / 4);
    assertThat(reasons.get(Reason.PAGE)).isGreaterThan(PAGES / 4);
    for (Reason reason : List.of(Reason.DUPLICATE, Reason.OUT_OF_BOUNDS)) {
      assertThat(reasons.get(reason)).as("%s", reason).isPositive();
    }
  }

  /** Where no line is new on a page and no comment is gone, series are as in the seed. */
  private static void unchangedLinesHaveTheirValues(
      Seed seed, byte[] page, Map<Labels, Double> samples) {
    Set<String> old = lines(seed.page());
    StringBuilder fresh = new StringBuilder();
    for (String line : lines(page)) {
      if (!old.contains(line)) {
        fresh.append(line).append('\n');
      }
    }
    old.removeAll(lines(page));
    old.removeIf(line -> !line.startsWith("#")); // a type that goes changes bounds and quantiles
    String changed = fresh + String.join("\n", old);
    samples.forEach(
        (labels, value) -> {
          Double was = seed.samples().get(labels);
          if (was != null && !was.equals(value)) {
            assertThat(changed).as("%s is %s and was %s", labels, value, was).isNotEmpty();
          }
          if (was == null) {
            assertThat(changed).as("%s is new", labels).isNotEmpty();
          }
        });
  }
}

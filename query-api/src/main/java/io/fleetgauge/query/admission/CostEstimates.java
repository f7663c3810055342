package io.fleetgauge.query.admission;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.query.SamplesRead;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.usage.UsageExtent;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.query.source.Source;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.IntSupplier;

/**
 * Estimates of what requests will read. Thread-safe.
 *
 * <p>For samples: how many series match and how dense their samples are, as the shards' indexes
 * say, times the steps and windows of the query; what was asked a moment ago is not asked again,
 * and what is being asked is not asked twice. For lookups of labels and newest samples no shard is
 * asked: their cost follows from how many series the same request found the last time, and at first
 * from the number of hosts.
 */
public final class CostEstimates {
  private static final Duration DENSITY_KEPT = Duration.ofMinutes(5);
  private static final Duration FOUND_KEPT = Duration.ofHours(1);

  /** Most memory of one cache, bytes: about 10,000 selectors of three matchers. */
  private static final long MAX_BYTES = 8 << 20;

  private static final int ENTRY_BYTES = 200;
  private static final int MATCHER_BYTES = 100;

  /** No query waits longer to know its cost: gateways answer in a millisecond or two. */
  private static final long ASK_MILLIS = 500;

  /** Series of a host with eight GPUs and the node's own metrics, about. */
  private static final long SERIES_OF_HOST = 500;

  /** Series of one metric, about. */
  private static final long SERIES_OF_METRIC = 50;

  /** Between two samples of a series of which nothing is known. */
  private static final double TICK_MILLIS = 15_000;

  /** A series costs a lookup in the index less than a sample costs a query. */
  private static final long INDEX_GAIN = 50;

  /** Bytes of kept usage that take as long as a sample that is evaluated. */
  private static final long BYTES_OF_SAMPLE = 32;

  /** Writing the newest sample of a series as a line of text, in samples that are read. */
  private static final long LINE_WORK = 8;

  private final Source source;
  private final IntSupplier hosts;

  /** Its upkeep takes less time than another thread takes to wake up. */
  private final Cache<Key, Density> densities =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .maximumWeight(MAX_BYTES)
          .weigher((Key key, Density density) -> bytes(key.matchers))
          .expireAfterWrite(DENSITY_KEPT)
          .build();

  /**
   * Densities of selectors that were asked before, at whatever time: for when the shards do not
   * answer now.
   */
  private final Cache<List<Compared>, Density> lastDensities =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .maximumWeight(MAX_BYTES)
          .weigher((List<Compared> matchers, Density density) -> bytes(matchers))
          .expireAfterWrite(FOUND_KEPT)
          .build();

  private final Map<Key, Future<Density>> asked = new ConcurrentHashMap<>();
  private final Cache<List<List<Compared>>, Long> found =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .maximumWeight(MAX_BYTES)
          .weigher(
              (List<List<Compared>> selectors, Long series) ->
                  bytes(selectors.stream().flatMap(List::stream).toList()))
          .expireAfterWrite(FOUND_KEPT)
          .build();
  private final LongAdder bounds = new LongAdder();

  /**
   * A part of a query.
   *
   * @param rollups true if every sample that it reads may be taken from rollups
   */
  public record Part(List<SamplesRead> reads, boolean rollups) {}

  /**
   * Number of series that match, and their samples in a millisecond.
   *
   * @param known false for a bound
   */
  private record Density(long series, double perMilli, boolean known) {}

  /** Comparison of a matcher, without its regular expression, which may be large compiled. */
  private record Compared(Matcher.Kind kind, String name, String value) {
    static List<Compared> of(List<Matcher> matchers) {
      return matchers.stream()
          .map(each -> new Compared(each.kind(), each.name(), each.value()))
          .toList();
    }

    static List<List<Compared>> ofAll(List<List<Matcher>> selectors) {
      return selectors.stream().map(Compared::of).toList();
    }
  }

  private static int bytes(List<Compared> matchers) {
    long bytes = ENTRY_BYTES;
    for (Compared each : matchers) {
      bytes += MATCHER_BYTES + 2L * (each.name.length() + each.value.length());
    }
    return (int) Math.min(bytes, Integer.MAX_VALUE);
  }

  /**
   * Selections of about the same time have about the same density.
   *
   * @param level the length is from 2^level to 2^(level + 1) ms
   * @param slot where it ends, in such lengths
   */
  private record Key(List<Compared> matchers, int level, long slot) {
    static Key of(Selection selection) {
      long length = Math.max(1, selection.to() - selection.from());
      int level = 63 - Long.numberOfLeadingZeros(length);
      return new Key(Compared.of(selection.matchers()), level, selection.to() >> level);
    }
  }

  /**
   * @param hosts number of hosts
   */
  public CostEstimates(Source source, IntSupplier hosts) {
    this.source = source;
    this.hosts = hosts;
  }

  // --- samples ---

  /**
   * The cost of the parts of one query together. Never fails.
   *
   * @param load of the query; its work is not looked at
   */
  public Future<Cost> of(List<Part> parts, Load load) {
    Map<Key, Selection> unknown = new LinkedHashMap<>();
    Map<Key, Density> known = new HashMap<>();
    for (Part part : parts) {
      for (SamplesRead read : part.reads) {
        Key key = Key.of(read.selection());
        Density density = densities.getIfPresent(key);
        if (density != null) {
          known.put(key, density);
        } else {
          unknown.putIfAbsent(key, read.selection());
        }
      }
    }
    if (unknown.isEmpty()) {
      return Future.succeededFuture(sum(parts, known));
    }
    List<Future<Density>> all = new ArrayList<>();
    ask(unknown, load).forEach((key, one) -> all.add(one.onSuccess(each -> put(known, key, each))));
    return Future.all(all).map(none -> sum(parts, known));
  }

  private static void put(Map<Key, Density> known, Key key, Density density) {
    synchronized (known) {
      known.put(key, density);
    }
  }

  /** The cost of reading samples as they are. */
  public Future<Cost> ofSamples(List<Selection> selections, Load load) {
    List<SamplesRead> reads =
        selections.stream().map(selection -> new SamplesRead(selection, 1, 0)).toList();
    return of(List.of(new Part(reads, false)), load);
  }

  /**
   * The cost of usage.
   *
   * @param ask requests what it would read
   * @param bound what it would be read of if nothing were kept: for when gateways do not answer now
   */
  public Future<Cost> ofUsage(
      Function<ReadOptions, Future<Gathered<UsageExtent>>> ask, List<Selection> bound, Load load) {
    ReadOptions options =
        new ReadOptions(new Load(load.tenant(), load.weight(), 1), ASK_MILLIS, new Cancellation());
    return ask.apply(options)
        .timeout(ASK_MILLIS, TimeUnit.MILLISECONDS)
        .map(Optional::of)
        .otherwise(Optional.empty())
        .compose(
            answer ->
                answer.filter(CostEstimates::isWhole).isPresent()
                    ? Future.succeededFuture(cost(answer.get().value()))
                    : of(
                        List.of(new Part(bound.stream().map(SamplesRead::ofUsage).toList(), false)),
                        load));
  }

  private static Cost cost(UsageExtent extent) {
    long samples = extent.samples() / Load.USAGE_GAIN;
    return new Cost(extent.series(), samples, 1 + samples + extent.bytes() / BYTES_OF_SAMPLE);
  }

  /** Densities that are not known; those that are being asked are awaited. */
  private Map<Key, Future<Density>> ask(Map<Key, Selection> unknown, Load load) {
    Map<Key, Future<Density>> all = new LinkedHashMap<>();
    Map<Key, Promise<Density>> mine = new LinkedHashMap<>();
    unknown.forEach(
        (key, selection) -> {
          Promise<Density> promise = Promise.promise();
          Future<Density> before = asked.putIfAbsent(key, promise.future());
          if (before == null) {
            mine.put(key, promise);
          }
          all.put(key, before == null ? promise.future() : before);
        });
    if (!mine.isEmpty()) {
      List<Selection> selections = mine.keySet().stream().map(unknown::get).toList();
      ReadOptions options =
          new ReadOptions(
              new Load(load.tenant(), load.weight(), selections.size()),
              ASK_MILLIS,
              new Cancellation());
      source
          .extents(selections, options)
          .timeout(ASK_MILLIS, TimeUnit.MILLISECONDS)
          .onComplete(
              done -> {
                Optional<Gathered<List<Extent>>> answer =
                    done.succeeded() ? Optional.of(done.result()) : Optional.empty();
                int at = 0;
                for (Map.Entry<Key, Promise<Density>> each : mine.entrySet()) {
                  Selection selection = selections.get(at);
                  int index = at++;
                  Density density =
                      density(
                          selection,
                          answer.map(gathered -> gathered.value().get(index)),
                          answer.map(gathered -> isWhole(gathered)).orElse(false));
                  if (density.known) {
                    densities.put(each.getKey(), density);
                  }
                  asked.remove(each.getKey());
                  each.getValue().complete(density);
                }
              });
    }
    return all;
  }

  private static boolean isWhole(Gathered<?> gathered) {
    return gathered.coverage().missing().isEmpty();
  }

  /**
   * @param whole true if every host is in the answer
   */
  private Density density(Selection selection, Optional<Extent> answer, boolean whole) {
    List<Compared> matchers = Compared.of(selection.matchers());
    Density last = lastDensities.getIfPresent(matchers);
    Density now = new Density(0, 0, whole);
    if (answer.isPresent()) {
      double millis = Math.max(1, (double) selection.to() - selection.from());
      now = new Density(answer.get().series(), answer.get().samples() / millis, whole);
    }
    if (whole) {
      lastDensities.put(matchers, now);
      return now;
    }
    bounds.increment();
    return most(now, last == null ? ofHosts(selection.matchers()) : last);
  }

  private static Density most(Density one, Density other) {
    return new Density(
        Math.max(one.series, other.series), Math.max(one.perMilli, other.perMilli), false);
  }

  /** Density of a metric, or of all metrics, from the number of hosts. */
  private Density ofHosts(List<Matcher> matchers) {
    boolean oneMetric =
        matchers.stream()
            .anyMatch(
                matcher ->
                    matcher.name().equals(Labels.NAME) && matcher.kind() == Matcher.Kind.EQUAL);
    long series = hosts.getAsInt() * (oneMetric ? SERIES_OF_METRIC : SERIES_OF_HOST);
    return new Density(series, series / TICK_MILLIS, false);
  }

  /** The reads of several parts are those of the same series at different times. */
  private static Cost sum(List<Part> parts, Map<Key, Density> densities) {
    long series = 0;
    double samples = 0;
    double work = 0;
    boolean known = true;
    for (Part part : parts) {
      long seriesHere = 0;
      for (SamplesRead read : part.reads) {
        Density density = densities.get(Key.of(read.selection()));
        Selection selection = read.selection();
        double millis = Math.max(0, (double) selection.to() - selection.from());
        seriesHere += density.series;
        long gain = read.isOfUsage() ? Load.USAGE_GAIN : 1;
        samples += density.perMilli * millis / gain;
        work +=
            (read.samples(density.series, density.perMilli) + density.series)
                / (part.rollups ? Load.ROLLUP_GAIN : gain);
        known &= density.known;
      }
      series = Math.max(series, seriesHere);
    }
    long rounded = 1 + (long) work;
    return known ? new Cost(series, (long) samples, rounded) : Cost.bound(rounded);
  }

  // --- lookups ---

  /**
   * The cost of a lookup in the index.
   *
   * @param selectors with the scope in them; empty for all series
   */
  public Cost ofIndex(List<List<Matcher>> selectors) {
    Long series = found.getIfPresent(Compared.ofAll(selectors));
    return series == null
        ? Cost.bound(1 + seriesOfAll() / INDEX_GAIN)
        : new Cost(series, 0, 1 + series / INDEX_GAIN);
  }

  /** The cost of one line for each series. */
  public Cost ofLines(List<List<Matcher>> selectors) {
    Long series = found.getIfPresent(Compared.ofAll(selectors));
    return series == null
        ? Cost.bound(1 + seriesOfAll() * LINE_WORK)
        : new Cost(series, series, 1 + series * LINE_WORK);
  }

  /** The cost of one small record for each host. */
  public Cost ofHosts() {
    return Cost.bound(1 + hosts.getAsInt());
  }

  private long seriesOfAll() {
    return hosts.getAsInt() * SERIES_OF_HOST;
  }

  /** Notes how many series a request found, so that the next one's cost is known. */
  public void found(List<List<Matcher>> selectors, long series) {
    found.put(Compared.ofAll(selectors), series);
  }

  /** Memory of what is known in bytes, about. */
  long bytes() {
    return bytes(densities) + bytes(lastDensities) + bytes(found);
  }

  private static long bytes(Cache<?, ?> cache) {
    return cache.policy().eviction().orElseThrow().weightedSize().orElseThrow();
  }

  /** Declares what is counted here. */
  public void declare(Meters meters) {
    meters.counter(
        "estimate_bounds",
        "Selections whose cost was taken from an upper bound because gateways did not respond in"
            + " time.",
        bounds::sum);
  }
}

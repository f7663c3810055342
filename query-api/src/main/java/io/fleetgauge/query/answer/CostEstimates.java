package io.fleetgauge.query.answer;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.admission.Cost;
import io.fleetgauge.query.shards.Cancellation;
import io.fleetgauge.query.shards.Extent;
import io.fleetgauge.query.shards.ReadOptions;
import io.fleetgauge.query.shards.Shards;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What requests are going to read. Thread-safe.
 *
 * <p>For samples: how many series match and how dense their samples are, as the shards' indexes
 * say; what was asked a moment ago is not asked again. For lookups of labels and newest samples no
 * shard is asked: their cost follows from how many series the same request found the last time, and
 * at first from the number of hosts.
 */
final class CostEstimates {
  private static final Duration DENSITY_KEPT = Duration.ofSeconds(30);
  private static final Duration FOUND_KEPT = Duration.ofHours(1);
  private static final long MAX_KEPT = 10_000;
  private static final long ASK_MILLIS = 2_000;

  /** How much less work a cell of a rollup is than the samples that it is made of. */
  private static final long ROLLUP_GAIN = 20;

  /** Series of a host with eight GPUs and the node's own metrics, about. */
  private static final long SERIES_OF_HOST = 500;

  /** A series costs a lookup in the index less than a sample costs a query. */
  private static final long INDEX_GAIN = 50;

  /** Writing the newest sample of a series as a line of text, in samples that are read. */
  private static final long LINE_WORK = 8;

  private final Shards shards;
  private final Cache<List<Matcher>, Density> densities =
      Caffeine.newBuilder().maximumSize(MAX_KEPT).expireAfterWrite(DENSITY_KEPT).build();
  private final Cache<List<List<Matcher>>, Long> found =
      Caffeine.newBuilder().maximumSize(MAX_KEPT).expireAfterWrite(FOUND_KEPT).build();

  /** Of the series that match: how many, and their samples in a millisecond. */
  private record Density(long series, double samplesPerMilli) {}

  CostEstimates(Shards shards) {
    this.shards = shards;
  }

  // --- samples ---

  /** The cost of the pieces of one query together. */
  Future<Cost> of(List<PlannedPiece> pieces) {
    Map<List<Matcher>, Selection> unknown = new LinkedHashMap<>();
    for (PlannedPiece piece : pieces) {
      addUnknown(piece.reads(), unknown);
    }
    return known(unknown).map(fresh -> sum(pieces, fresh));
  }

  /** The cost of reading samples as they are. */
  Future<Cost> ofSamples(List<Selection> selections) {
    Map<List<Matcher>, Selection> unknown = new LinkedHashMap<>();
    addUnknown(selections, unknown);
    return known(unknown)
        .map(
            fresh -> {
              Sum sum = new Sum();
              sum.add(selections, fresh, 1);
              return sum.cost();
            });
  }

  private void addUnknown(List<Selection> selections, Map<List<Matcher>, Selection> unknown) {
    for (Selection selection : selections) {
      if (densities.getIfPresent(selection.matchers()) == null) {
        unknown.putIfAbsent(selection.matchers(), selection);
      }
    }
  }

  private Future<Map<List<Matcher>, Density>> known(Map<List<Matcher>, Selection> unknown) {
    if (unknown.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    List<Selection> asked = List.copyOf(unknown.values());
    return shards
        .extents(asked, new ReadOptions(Load.OWN, ASK_MILLIS, new Cancellation()))
        .map(
            gathered -> {
              Map<List<Matcher>, Density> fresh = new HashMap<>();
              for (int i = 0; i < asked.size(); i++) {
                Selection selection = asked.get(i);
                Extent extent = gathered.value().get(i);
                double millis = Math.max(1, (double) selection.to() - selection.from());
                Density density = new Density(extent.series(), extent.samples() / millis);
                fresh.put(selection.matchers(), density);
                densities.put(selection.matchers(), density);
              }
              return fresh;
            });
  }

  private Cost sum(List<PlannedPiece> pieces, Map<List<Matcher>, Density> fresh) {
    Sum sum = new Sum();
    for (PlannedPiece piece : pieces) {
      sum.add(piece.reads(), fresh, usesOnlyRollups(piece.planned()) ? ROLLUP_GAIN : 1);
    }
    return sum.cost();
  }

  /** Whether every sample that a query reads may be taken from rollups. */
  static boolean usesOnlyRollups(Planned planned) {
    return !planned.cuts().isEmpty()
        && planned.selections().isEmpty()
        && planned.cuts().stream().allMatch(Planned.Cut::rollups);
  }

  /** Adds up pieces of a query, which read the same series at different times. */
  private final class Sum {
    private long series;
    private double samples;
    private double work;

    void add(List<Selection> reads, Map<List<Matcher>, Density> fresh, long gain) {
      long seriesHere = 0;
      for (Selection selection : reads) {
        Density density = densities.getIfPresent(selection.matchers());
        density = density == null ? fresh.get(selection.matchers()) : density;
        if (density != null) {
          double here =
              density.samplesPerMilli * Math.max(0, (double) selection.to() - selection.from());
          seriesHere += density.series;
          samples += here;
          work += (here + density.series) / gain;
        }
      }
      series = Math.max(series, seriesHere);
    }

    Cost cost() {
      return new Cost(series, (long) samples, 1 + (long) work);
    }
  }

  // --- lookups ---

  /**
   * The cost of a lookup in the index.
   *
   * @param selectors with the scope in them; empty for all series
   */
  Cost ofIndex(List<List<Matcher>> selectors) {
    long series = series(selectors);
    return new Cost(series, 0, 1 + series / INDEX_GAIN);
  }

  /** The cost of one line for each series. */
  Cost ofLines(List<List<Matcher>> selectors) {
    long series = series(selectors);
    return new Cost(series, series, 1 + series * LINE_WORK);
  }

  /** The cost of one small record for each host. */
  Cost ofHosts() {
    return new Cost(0, 0, 1 + shards.hostCount());
  }

  private long series(List<List<Matcher>> selectors) {
    Long known = found.getIfPresent(selectors);
    return known == null ? shards.hostCount() * SERIES_OF_HOST : known;
  }

  /** Notes how many series a request found, so that the next one's cost is known. */
  void found(List<List<Matcher>> selectors, long series) {
    found.put(selectors, series);
  }
}

package io.fleetgauge.query.answer;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.fanout.Fanout;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What queries would read, before they read it: how many series match and how dense their samples
 * are, as the gateways' catalogs say. What was asked a moment ago is not asked again. Safe for all
 * threads.
 */
final class Costs {
  private static final Duration KEPT = Duration.ofSeconds(30);
  private static final long MOST_KEPT = 10_000;
  private static final long ASK_MILLIS = 2_000;

  /** How much less work a kept fold is than the samples that it is made of. */
  private static final long ROLLUP_GAIN = 20;

  private final Fanout fanout;
  private final Cache<List<Matcher>, Density> densities =
      Caffeine.newBuilder().maximumSize(MOST_KEPT).expireAfterWrite(KEPT).build();

  /** Of the series that match: how many, and their samples in a ms. */
  private record Density(long series, double samplesPerMilli) {}

  Costs(Fanout fanout) {
    this.fanout = fanout;
  }

  /** The cost of several pieces of one query together. */
  Future<Cost> of(List<Planned> pieces) {
    List<Selection> unknown = new ArrayList<>();
    try {
      for (Planned piece : pieces) {
        for (Selection selection : Engine.selections(piece.query(), Set.of())) {
          if (densities.getIfPresent(selection.matchers()) == null
              && unknown.stream().noneMatch(each -> each.matchers().equals(selection.matchers()))) {
            unknown.add(selection);
          }
        }
      }
      if (unknown.isEmpty()) {
        return Future.succeededFuture(sum(pieces, Map.of()));
      }
    } catch (QueryFailure e) {
      return Future.failedFuture(e);
    }
    return fanout
        .extents(unknown, ASK_MILLIS)
        .compose(
            gathered -> {
              Map<List<Matcher>, Density> found = new java.util.HashMap<>();
              for (int i = 0; i < unknown.size(); i++) {
                Selection selection = unknown.get(i);
                long[] extent = gathered.value().get(i);
                double millis = Math.max(1, (double) selection.to() - selection.from());
                Density density = new Density(extent[0], extent[1] / millis);
                found.put(selection.matchers(), density);
                densities.put(selection.matchers(), density);
              }
              try {
                return Future.succeededFuture(sum(pieces, found));
              } catch (QueryFailure e) {
                return Future.failedFuture(e);
              }
            });
  }

  private Cost sum(List<Planned> pieces, Map<List<Matcher>, Density> found) throws QueryFailure {
    long series = 0;
    double samples = 0;
    double work = 0;
    for (Planned piece : pieces) {
      boolean rollups =
          !piece.cuts().isEmpty()
              && piece.selections().isEmpty()
              && piece.cuts().stream().allMatch(Planned.Cut::rollups);
      long seriesHere = 0;
      for (Selection selection : Engine.selections(piece.query(), Set.of())) {
        Density density = densities.getIfPresent(selection.matchers());
        density = density == null ? found.get(selection.matchers()) : density;
        if (density != null) {
          double here =
              density.samplesPerMilli * Math.max(0, (double) selection.to() - selection.from());
          seriesHere += density.series;
          samples += here;
          work += (here + density.series) / (rollups ? ROLLUP_GAIN : 1);
        }
      }
      series = Math.max(series, seriesHere);
    }
    return new Cost(series, (long) samples, 1 + (long) work);
  }
}

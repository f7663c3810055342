package io.fleetgauge.query.operate;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.usage.series.UsageMetric;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.answer.SeriesFilter;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * {@code /api/v1/status/cardinality}: how many series the caller sees now, and a day ago, by
 * metric, label, host and tenant. Series are read some metrics at a time, so that those of a large
 * fleet are never in memory together.
 */
record CardinalityRoute(QueryConfig config, Querier querier, LongSupplier clock) {
  private static final int DEFAULT_ITEMS = 20;
  private static final int MAX_ITEMS = 10_000;
  private static final long DAY_MILLIS = 86_400_000;
  private static final int METRICS_AT_ONCE = 16;
  private static final int MAX_METRICS = 20_000;

  /** Most series of the metrics that are read at once. */
  private static final int MAX_SERIES = 200_000;

  void mount(ApiRoutes routes) {
    routes.get("/api/v1/status/cardinality", this::cardinality);
  }

  private Future<Body> cardinality(ApiRequest request) throws QueryFailure {
    Parameters parameters = request.parameters();
    int limit = parameters.text("limit").isEmpty() ? DEFAULT_ITEMS : parameters.limit();
    if (limit < 1 || limit > MAX_ITEMS) {
      throw Parameters.invalid("limit", "limit must be from 1 to " + MAX_ITEMS);
    }
    List<List<Matcher>> selectors = parameters.seriesFilter().selectors();
    long now = clock.getAsLong();
    Walk walk = new Walk(request, selectors, now);
    Walk before = new Walk(request, selectors, now - DAY_MILLIS);
    return walk.run()
        .compose(done -> before.run())
        .map(
            done -> {
              Set<String> warnings = new LinkedHashSet<>(walk.warnings);
              warnings.addAll(before.warnings);
              return Body.large(
                  () ->
                      Json.success(
                          json -> write(json, now, walk.counts, before.counts, limit),
                          List.copyOf(warnings)));
            });
  }

  /** Counts the series with a sample within the lookback before a time. */
  private final class Walk {
    private final ApiRequest request;
    private final List<List<Matcher>> selectors;
    private final long at;
    private final SeriesCounts counts = new SeriesCounts();
    private final Set<String> warnings = new LinkedHashSet<>();

    Walk(ApiRequest request, List<List<Matcher>> selectors, long at) {
      this.request = request;
      this.selectors = selectors;
      this.at = at;
    }

    Future<Void> run() {
      return ask(new Request.LabelValues(Labels.NAME, filter(MAX_METRICS, selectors)))
          .compose(reply -> next(stored(reply.value()), 0));
    }

    private static List<String> stored(List<String> metrics) {
      return metrics.stream().filter(each -> UsageMetric.named(each).isEmpty()).toList();
    }

    private SeriesFilter filter(int limit, List<List<Matcher>> which) {
      return new SeriesFilter(at - config.lookback().toMillis(), at, limit, which);
    }

    private <T> Future<Reply<T>> ask(Request<T> asked) {
      try {
        return request
            .ask(querier, asked, config.timeout().toMillis())
            .onSuccess(
                reply ->
                    reply
                        .warnings()
                        .forEach(
                            warning -> {
                              if (warning.equals(Reply.TRUNCATED)) {
                                counts.cut();
                              } else {
                                warnings.add(warning);
                              }
                            }));
      } catch (QueryFailure e) {
        return Future.failedFuture(e);
      }
    }

    private Future<Void> next(List<String> metrics, int from) {
      if (from >= metrics.size()) {
        return Future.succeededFuture();
      }
      int to = Math.min(metrics.size(), from + METRICS_AT_ONCE);
      return ask(new Request.SeriesLabels(filter(MAX_SERIES, of(metrics.subList(from, to)))))
          .compose(
              reply -> {
                reply.value().forEach(counts::add);
                return next(metrics, to);
              });
    }

    private List<List<Matcher>> of(List<String> metrics) {
      List<List<Matcher>> all = new ArrayList<>();
      for (String metric : metrics) {
        Matcher name = Matcher.of(Matcher.Kind.EQUAL, Labels.NAME, metric);
        if (selectors.isEmpty()) {
          all.add(List.of(name));
        }
        for (List<Matcher> selector : selectors) {
          List<Matcher> both = new ArrayList<>(selector);
          both.add(name);
          all.add(List.copyOf(both));
        }
      }
      return all;
    }
  }

  private static void write(
      JsonGenerator json, long now, SeriesCounts counts, SeriesCounts before, int limit)
      throws IOException {
    json.writeStartObject();
    json.writeNumberField("at", now);
    json.writeNumberField("before", now - DAY_MILLIS);
    json.writeNumberField("series", counts.series());
    json.writeNumberField("seriesBefore", before.series());
    json.writeBooleanField("cut", counts.isCut() || before.isCut());
    top(json, "metrics", "series", counts.metrics(), before.metrics(), limit, field("metric"));
    top(json, "labels", "values", counts.labels(), before.labels(), limit, field("label"));
    top(
        json,
        "pairs",
        "series",
        counts.pairs(),
        before.pairs(),
        limit,
        (to, pair) -> {
          to.writeStringField("label", pair.label());
          to.writeStringField("value", pair.value());
        });
    top(json, "hosts", "series", counts.hosts(), before.hosts(), limit, field("host"));
    top(json, "tenants", "series", counts.tenants(), before.tenants(), limit, field("tenant"));
    json.writeEndObject();
  }

  /** Writes what was counted. */
  private interface Name<K> {
    void write(JsonGenerator json, K counted) throws IOException;
  }

  private static Name<String> field(String name) {
    return (json, counted) -> json.writeStringField(name, counted);
  }

  private static <K extends Comparable<K>> void top(
      JsonGenerator json,
      String list,
      String figure,
      Map<K, Long> counts,
      Map<K, Long> before,
      int limit,
      Name<K> name)
      throws IOException {
    List<Map.Entry<K, Long>> largest =
        counts.entrySet().stream()
            .sorted(
                Map.Entry.<K, Long>comparingByValue(Comparator.reverseOrder())
                    .thenComparing(Map.Entry.comparingByKey()))
            .limit(limit)
            .toList();
    json.writeArrayFieldStart(list);
    for (Map.Entry<K, Long> each : largest) {
      json.writeStartObject();
      name.write(json, each.getKey());
      json.writeNumberField(figure, each.getValue());
      json.writeNumberField("before", before.getOrDefault(each.getKey(), 0L));
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}

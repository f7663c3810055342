package io.fleetgauge.load.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.TextSpan;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.query.source.Source;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.Function;

/** A real Prometheus as a {@link Source}, by its HTTP API. */
final class PrometheusSource implements Source {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int OK = 200;

  private final WebClient client;
  private final URI address;

  PrometheusSource(Vertx vertx, URI address) {
    this.client = WebClient.create(vertx);
    this.address = address;
  }

  /** A window of Prometheus is open at its start, as selections are. */
  private static String window(Selection selection) {
    Expr.Selector selector =
        new Expr.Selector(selection.matchers(), Expr.Shift.NONE, TextSpan.NONE);
    return new Expr.Window(selector, selection.to() - selection.from(), TextSpan.NONE).toString();
  }

  private static String seconds(long millis) {
    return millis / 1_000 + "." + String.format("%03d", millis % 1_000);
  }

  /**
   * The {@code data} of an answer.
   *
   * @param parameters of the URL, each with its value
   */
  private Future<JsonNode> get(String path, List<String> parameters, ReadOptions options) {
    if (options.cancellation().isCancelled()) {
      return Future.failedFuture(
          new QueryFailure(QueryFailure.Kind.CANCELED, "the read was canceled"));
    }
    StringJoiner query = new StringJoiner("&", "?", "");
    for (int i = 0; i < parameters.size(); i += 2) {
      query.add(
          parameters.get(i)
              + "="
              + URLEncoder.encode(parameters.get(i + 1), StandardCharsets.UTF_8));
    }
    return client
        .getAbs(address.resolve(path) + query.toString())
        .timeout(options.timeoutMillis())
        .send()
        .compose(PrometheusSource::data);
  }

  private static Future<JsonNode> data(HttpResponse<?> response) {
    try {
      JsonNode body = JSON.readTree(response.bodyAsString());
      return response.statusCode() == OK
          ? Future.succeededFuture(body.path("data"))
          : Future.failedFuture(
              new QueryFailure(QueryFailure.Kind.EXECUTION, body.path("error").asText()));
    } catch (Exception e) {
      return Future.failedFuture(e);
    }
  }

  private static <T> Future<Gathered<List<T>>> all(List<Future<T>> reads) {
    return Future.all(reads)
        .map(none -> new Gathered<>(reads.stream().map(Future::result).toList(), Coverage.NONE));
  }

  @Override
  public Future<Gathered<List<List<Series>>>> samples(
      List<Selection> selections, long budget, ReadOptions options) {
    return all(selections.stream().map(each -> series(each, options)).toList())
        .compose(
            found -> {
              long samples =
                  found.value().stream().flatMap(List::stream).mapToLong(Series::size).sum();
              return samples <= budget
                  ? Future.succeededFuture(found)
                  : Future.failedFuture(
                      new QueryFailure(
                          QueryFailure.Kind.EXECUTION,
                          "there are " + samples + " samples; the limit is " + budget));
            });
  }

  private Future<List<Series>> series(Selection selection, ReadOptions options) {
    return instant(window(selection), selection.to(), options)
        .map(
            result -> {
              List<Series> all = new ArrayList<>();
              for (JsonNode each : result) {
                JsonNode points = each.path("values");
                long[] times = new long[points.size()];
                double[] values = new double[points.size()];
                for (int i = 0; i < times.length; i++) {
                  times[i] = Math.round(points.get(i).get(0).asDouble() * 1_000);
                  values[i] = Double.parseDouble(points.get(i).get(1).asText());
                }
                all.add(new Series(labels(each.path("metric")), times, values));
              }
              all.sort(Comparator.comparing(Series::labels));
              return all;
            });
  }

  private Future<JsonNode> instant(String query, long time, ReadOptions options) {
    return get("/api/v1/query", List.of("query", query, "time", seconds(time)), options)
        .map(data -> data.path("result"));
  }

  private static Labels labels(JsonNode metric) {
    TreeMap<String, String> labels = new TreeMap<>();
    metric.properties().forEach(each -> labels.put(each.getKey(), each.getValue().asText()));
    return Labels.of(labels);
  }

  @Override
  public Future<Gathered<List<Extent>>> extents(List<Selection> selections, ReadOptions options) {
    return all(selections.stream().map(each -> extent(each, options)).toList());
  }

  /** Counted, because functions drop the names by which series of several metrics differ. */
  private Future<Extent> extent(Selection selection, ReadOptions options) {
    return series(selection, options)
        .map(found -> new Extent(found.size(), found.stream().mapToLong(Series::size).sum()));
  }

  private static List<String> parameters(SeriesSearch search) {
    List<String> all =
        new ArrayList<>(List.of("start", seconds(search.from()), "end", seconds(search.to())));
    for (List<Matcher> matchers : search.matchers()) {
      all.add("match[]");
      all.add(new Expr.Selector(matchers, Expr.Shift.NONE, TextSpan.NONE).toString());
    }
    if (search.limit() > 0) {
      all.addAll(List.of("limit", Integer.toString(search.limit())));
    }
    return all;
  }

  private <T> Future<Gathered<List<T>>> list(
      String path, SeriesSearch search, ReadOptions options, Function<JsonNode, T> item) {
    return get(path, parameters(search), options)
        .map(
            data -> {
              List<T> all = new ArrayList<>();
              data.forEach(each -> all.add(item.apply(each)));
              return new Gathered<>(all, Coverage.NONE);
            });
  }

  @Override
  public Future<Gathered<List<String>>> labelNames(SeriesSearch search, ReadOptions options) {
    return list("/api/v1/labels", search, options, JsonNode::asText);
  }

  @Override
  public Future<Gathered<List<String>>> labelValues(
      String label, SeriesSearch search, ReadOptions options) {
    return list("/api/v1/label/" + label + "/values", search, options, JsonNode::asText);
  }

  @Override
  public Future<Gathered<List<Labels>>> labelSets(SeriesSearch search, ReadOptions options) {
    SeriesSearch some =
        search.matchers().isEmpty()
            ? new SeriesSearch(
                search.from(),
                search.to(),
                search.limit(),
                List.of(List.of(Matcher.of(Matcher.Kind.NOT_EQUAL, Labels.NAME, ""))))
            : search;
    return list("/api/v1/series", some, options, PrometheusSource::labels)
        .map(found -> new Gathered<>(found.value().stream().sorted().toList(), Coverage.NONE));
  }
}

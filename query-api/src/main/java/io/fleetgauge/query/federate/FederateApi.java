package io.fleetgauge.query.federate;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.ReductionNames;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.sample.prometheus.NameEscaping;
import io.fleetgauge.sample.prometheus.TextExposition;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * {@code GET /federate}: the newest sample of series and of reductions, for another Prometheus to
 * scrape.
 *
 * <p>{@code match[]} as in Prometheus; a selector whose metric name has a colon selects reductions,
 * named as {@link ReductionNames} does. {@code shard=i/n} gives the i-th of n parts, counted from
 * 0.
 */
public final class FederateApi {
  private static final long MARGIN_MILLIS = 250;

  private final QueryConfig config;
  private final Querier querier;
  private final LongSupplier clock;
  private final ReductionLines reductionLines = new ReductionLines();

  /** Part {@code index} of {@code count}: series are assigned by host, reductions by name. */
  private record Shard(int index, int count) {
    boolean has(String name) {
      return count == 1 || Math.floorMod(name.hashCode() * 0x9E3779B9 >>> 7, count) == index;
    }
  }

  private FederateApi(QueryConfig config, Querier querier, LongSupplier clock) {
    this.config = config;
    this.querier = querier;
    this.clock = clock;
  }

  /**
   * @param clock ms since the epoch
   */
  public static void mount(
      ApiRoutes routes, QueryConfig config, Querier querier, LongSupplier clock) {
    FederateApi api = new FederateApi(config, querier, clock);
    routes.getText("/federate", api::federate);
  }

  private Future<Body> federate(ApiRequest request) throws QueryFailure {
    Shard shard = shard(request.parameters().text("shard"));
    List<List<Matcher>> selectors = new ArrayList<>();
    List<List<Matcher>> reductions = new ArrayList<>();
    for (String text : request.parameters().selectors()) {
      if (text.replace(" ", "").equals("{}")) {
        continue; // Prometheus answers an empty selector with nothing
      }
      List<Matcher> selector = Parameters.selector("match[]", text);
      selectors.add(selector);
      if (ReductionNames.isOfReductions(selector)) {
        reductions.add(selector);
      }
    }
    NameEscaping escaping = AcceptedEscaping.of(request.header("Accept").orElse(""));
    boolean gzip = request.acceptsGzip();
    request.respondWith(
        "Content-Type", TextExposition.CONTENT_TYPE + "; escaping=" + escaping.parameter());
    if (selectors.isEmpty()) {
      return Future.succeededFuture(Body.small(Buffer::buffer));
    }
    long now = clock.getAsLong();
    Request.Newest newest =
        new Request.Newest(
            selectors,
            reductions,
            shard::has,
            now - config.lookback().toMillis(),
            now,
            escaping,
            gzip);
    long timeout = timeout(request.header("X-Prometheus-Scrape-Timeout-Seconds").orElse(""));
    return request
        .ask(querier, newest, timeout)
        .map(
            reply ->
                new Body.Streamed(
                    out -> {
                      // Checks the limits before the first byte, so that the status can say it.
                      ScrapeLines lines =
                          ScrapeLines.of(
                              reply.value().families(),
                              reductionLines.of(
                                  reply.value().reductions(), reductions, shard::has, escaping),
                              config,
                              escaping);
                      lines.write(out, gzip);
                    },
                    gzip));
  }

  private static Shard shard(String text) throws QueryFailure {
    if (text.isEmpty()) {
      return new Shard(0, 1);
    }
    if (text.matches("\\d{1,4}/\\d{1,4}")) {
      String[] parts = text.split("/");
      Shard shard = new Shard(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
      if (shard.index < shard.count) {
        return shard;
      }
    }
    throw Parameters.invalid(
        "shard",
        "cannot parse \"" + text + "\"; of four parts, the first is 0/4 and the last is 3/4");
  }

  /** The answer should arrive before the scraper gives up. */
  private long timeout(String seconds) {
    long max = config.timeout().toMillis();
    if (!seconds.matches("\\d{1,6}(\\.\\d{1,9})?")) {
      return max;
    }
    long millis = (long) (Double.parseDouble(seconds) * 1_000);
    return Math.clamp(millis - Math.min(MARGIN_MILLIS, millis / 10), 1, max);
  }
}

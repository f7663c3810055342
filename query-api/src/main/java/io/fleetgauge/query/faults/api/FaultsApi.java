package io.fleetgauge.query.faults.api;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.faults.record.FaultSeries;
import io.fleetgauge.query.faults.record.StoredEpisode;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** {@code GET /api/v1/faults}, and {@code jobs} and {@code lemons} below it. */
public final class FaultsApi {
  /** An open episode has a sample in each hour. */
  private static final long OPEN_MILLIS = 3_900_000;

  private static final long LEMON_MILLIS = 2L * 3_600_000;
  private static final int LEMONS = 20;
  private static final int JOBS = 1_000;
  private static final int MOST_ROWS = 10_000;

  /** Verdicts are stored each minute, a while later if hosts are waited for. */
  private static final long VERDICT_MILLIS = 300_000;

  private final QueryConfig config;
  private final Querier querier;
  private final LongSupplier clock;

  private FaultsApi(QueryConfig config, Querier querier, LongSupplier clock) {
    this.config = config;
    this.querier = querier;
    this.clock = clock;
  }

  /**
   * @param clock ms since the epoch
   */
  public static void mount(
      ApiRoutes routes, QueryConfig config, Querier querier, LongSupplier clock) {
    FaultsApi api = new FaultsApi(config, querier, clock);
    routes.get("/api/v1/faults", api::faults);
    routes.get("/api/v1/faults/jobs", api::jobs);
    routes.get("/api/v1/faults/lemons", api::lemons);
  }

  /**
   * The episodes of a page.
   *
   * @param visible identities of all that were read
   */
  private record Page(List<StoredEpisode> episodes, Set<String> visible, Optional<String> next) {
    static Page of(FaultFilter filter, List<StoredEpisode> all) {
      List<StoredEpisode> some =
          all.stream()
              .filter(each -> filter.matches(each) && filter.isNext(each.episode()))
              .sorted(
                  Comparator.comparing(
                      each -> FaultFilter.Place.of(each.episode()), FaultFilter.Place.ORDER))
              .limit(filter.limit() + 1L)
              .toList();
      Set<String> visible =
          all.stream().map(each -> each.episode().id()).collect(Collectors.toSet());
      if (some.size() <= filter.limit()) {
        return new Page(some, visible, Optional.empty());
      }
      List<StoredEpisode> cut = some.subList(0, filter.limit());
      return new Page(
          cut, visible, Optional.of(FaultFilter.Place.of(cut.getLast().episode()).text()));
    }
  }

  private Future<Body> faults(ApiRequest request) throws QueryFailure {
    long now = clock.getAsLong();
    FaultFilter filter = FaultFilter.of(request.parameters(), now);
    List<Matcher> matchers = new ArrayList<>();
    matchers.add(Matcher.equal(Labels.NAME, FaultSeries.EPISODE));
    if (!filter.tenant().isEmpty()) {
      matchers.add(Matcher.equal("tenant", filter.tenant()));
    }
    // Up to now, because an episode that was open then may be over.
    Selection episodes = new Selection(matchers, filter.from() - OPEN_MILLIS, now);
    return samples(request, List.of(episodes))
        .compose(
            reply -> {
              Page page = Page.of(filter, StoredEpisode.of(reply.value().getFirst()));
              return contexts(request, page.episodes())
                  .map(contexts -> body(page, contexts, reply.warnings()));
            });
  }

  private Future<Reply<List<List<Series>>>> samples(
      ApiRequest request, List<Selection> selections) {
    try {
      return request.ask(querier, new Request.Samples(selections), config.timeout().toMillis());
    } catch (QueryFailure e) {
      return Future.failedFuture(e);
    }
  }

  private Future<List<FaultContext>> contexts(ApiRequest request, List<StoredEpisode> of) {
    if (of.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    List<Selection> selections = new ArrayList<>();
    of.forEach(each -> selections.addAll(FaultContext.selections(each)));
    return samples(request, selections)
        .map(
            reply -> {
              List<FaultContext> contexts = new ArrayList<>();
              for (int i = 0; i < of.size(); i++) {
                contexts.add(
                    FaultContext.of(of.get(i).episode(), reply.value().subList(2 * i, 2 * i + 2)));
              }
              return contexts;
            });
  }

  private static Body body(Page page, List<FaultContext> contexts, List<String> warnings) {
    return Body.large(
        () ->
            Json.success(
                json -> {
                  json.writeStartObject();
                  json.writeArrayFieldStart("faults");
                  for (int i = 0; i < page.episodes.size(); i++) {
                    FaultJson.write(json, page.episodes.get(i), contexts.get(i), page.visible);
                  }
                  json.writeEndArray();
                  if (page.next.isPresent()) {
                    json.writeStringField("next", page.next.get());
                  }
                  json.writeEndObject();
                },
                warnings));
  }

  // --- jobs ---

  private Future<Body> jobs(ApiRequest request) throws QueryFailure {
    Parameters in = request.parameters();
    int limit = FaultFilter.limit(in, JOBS, MOST_ROWS);
    List<Matcher> matchers = new ArrayList<>();
    matchers.add(Matcher.equal(Labels.NAME, FaultSeries.VERDICT));
    for (String name : List.of("job", "tenant")) {
      if (!in.text(name).isEmpty()) {
        matchers.add(Matcher.equal(name, in.text(name)));
      }
    }
    long now = clock.getAsLong();
    return samples(request, List.of(new Selection(matchers, now - VERDICT_MILLIS, now)))
        .map(
            reply ->
                rows("jobs", JobRow.of(reply.value().getFirst()), limit, JobRow::write, reply));
  }

  // --- lemons ---

  private record Lemon(Labels labels, double score) {
    void write(JsonGenerator json) throws IOException {
      json.writeStartObject();
      json.writeStringField("host", labels.value("Hostname"));
      json.writeStringField("gpu", labels.value("gpu"));
      json.writeStringField("UUID", labels.value("UUID"));
      json.writeNumberField("score", score);
      json.writeEndObject();
    }
  }

  private Future<Body> lemons(ApiRequest request) throws QueryFailure {
    int limit = FaultFilter.limit(request.parameters(), LEMONS, MOST_ROWS);
    long now = clock.getAsLong();
    Selection scores =
        new Selection(
            List.of(Matcher.equal(Labels.NAME, FaultSeries.LEMON)), now - LEMON_MILLIS, now);
    return samples(request, List.of(scores))
        .map(reply -> rows("lemons", newest(reply.value().getFirst()), limit, Lemon::write, reply));
  }

  private interface RowWriter<T> {
    void write(T row, JsonGenerator json) throws IOException;
  }

  private static <T> Body rows(
      String name, List<T> all, int limit, RowWriter<T> writer, Reply<?> reply) {
    return Body.large(
        () ->
            Json.success(
                json -> {
                  json.writeStartObject();
                  json.writeArrayFieldStart(name);
                  for (T each : all.subList(0, Math.min(limit, all.size()))) {
                    writer.write(each, json);
                  }
                  json.writeEndArray();
                  json.writeEndObject();
                },
                reply.warnings()));
  }

  private static List<Lemon> newest(List<Series> scores) {
    List<Lemon> lemons = new ArrayList<>();
    for (Series each : scores) {
      double newest = each.size() == 0 ? Double.NaN : each.values()[each.size() - 1];
      if (!Staleness.isMarker(newest) && newest > 0) {
        lemons.add(new Lemon(each.labels(), newest));
      }
    }
    lemons.sort(
        Comparator.comparingDouble((Lemon each) -> -each.score).thenComparing(Lemon::labels));
    return lemons;
  }
}

package io.fleetgauge.query.answer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.admission.Admission;
import io.fleetgauge.query.admission.ClusterShare;
import io.fleetgauge.query.admission.TenantShare;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.fleet.GpuSeries;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.fleetgauge.query.fleet.MemoryShards;
import io.fleetgauge.query.fleet.Stores;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.runtime.trace.Tracer;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.fleetgauge.sample.vocabulary.Aliases;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * A {@link Querier} over six hosts in two racks on three gateways in memory. Each host has two GPUs
 * with a gauge {@code power} and a counter {@code load_total}, a sample every 15 s from {@link
 * #START} to {@link #END}.
 */
final class TestQuerier {
  static final long STEP = 15_000;
  static final long START = 1_000 * STEP;
  static final int STEPS = 200;
  static final long END = START + (STEPS - 1) * STEP;
  static final long LOOKBACK = 300_000;

  /** So small that no test reaches it by accident. */
  static final TenantLimits LIMITS =
      new TenantLimits(1, 20, 200, 1_000_000, 1_000, Duration.ofDays(400), 11_001, false);

  static final Caller ROOT = new Caller("root", List.of(), true, LIMITS);
  static final Caller RACK_0 = scoped("a", "r0");
  static final Caller RACK_1 = scoped("b", "r1");

  final MemoryFleet fleet = new MemoryFleet();
  final MemoryShards shards;
  final Admission admission;
  final Querier querier;
  private final Vertx vertx;
  private Optional<URI> scraped = Optional.empty();

  TestQuerier(Vertx vertx) throws Exception {
    this(vertx, MemoryShards::stores);
  }

  /**
   * @param read what is read, of the gateways
   */
  TestQuerier(Vertx vertx, Function<MemoryShards, Stores> read) throws Exception {
    this(vertx, "query:\n  maxParallel: 20\n  maxHeavy: 4\n", read);
  }

  TestQuerier(Vertx vertx, String yaml) throws Exception {
    this(vertx, yaml, MemoryShards::stores);
  }

  private TestQuerier(Vertx vertx, String yaml, Function<MemoryShards, Stores> read)
      throws Exception {
    for (int host = 0; host < 6; host++) {
      fleet.host("n" + host, "g" + host % 3, "g" + (host + 1) % 3);
      for (int gpu = 0; gpu < 2; gpu++) {
        for (String metric : List.of("power", "load_total")) {
          fleet.with(GpuSeries.series(metric, host, gpu, START, STEP, STEPS));
        }
      }
    }
    this.vertx = vertx;
    fleet.watermark(Long.MAX_VALUE / 4);
    QueryConfig config = QueryConfig.read("test", yaml);
    this.shards = new MemoryShards(vertx, fleet);
    this.admission =
        new Admission(
            new Admission.Places(config.maxConcurrent(), config.maxParallel(), config.maxHeavy()),
            tenant -> new TenantShare(1, LIMITS.running(), LIMITS.queued()),
            ClusterShare.WHOLE,
            System::nanoTime);
    this.querier =
        new Querier(
            config,
            read.apply(shards),
            admission,
            new Querier.Workers(
                vertx.createSharedWorkerExecutor("light", 2),
                vertx.createSharedWorkerExecutor("heavy", 1)),
            AliasTable.builtIn(),
            Tracer.OFF,
            () -> END);
  }

  static void assertFails(Future<?> answer, QueryFailure.Kind kind, String message) {
    assertThatThrownBy(() -> await(answer))
        .isInstanceOfSatisfying(
            QueryFailure.class, failure -> assertThat(failure.kind()).isEqualTo(kind))
        .hasMessageContaining(message);
  }

  private static Caller scoped(String tenant, String rack) {
    return new Caller(tenant, List.of(equal("rack", rack)), false, LIMITS);
  }

  static Matcher equal(String name, String value) {
    return Matcher.of(Matcher.Kind.EQUAL, name, value);
  }

  /** What it counts, by name, as it is scraped. */
  Map<String, Double> metrics() throws Exception {
    if (scraped.isEmpty()) {
      Meters meters = new Meters("query");
      querier.declare(meters);
      Router router =
          HttpListener.router(
              vertx, new HttpListener.Readiness(), meters, () -> "", RoutingContext::next);
      int port =
          await(vertx.createHttpServer().requestHandler(router).listen(0, "127.0.0.1"))
              .actualPort();
      scraped = Optional.of(URI.create("http://127.0.0.1:" + port + "/metrics"));
    }
    Map<String, Double> metrics = new TreeMap<>();
    try (HttpClient client = HttpClient.newHttpClient()) {
      client
          .send(HttpRequest.newBuilder(scraped.get()).build(), HttpResponse.BodyHandlers.ofLines())
          .body()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split(" "))
          .forEach(parts -> metrics.put(parts[0], Double.valueOf(parts[1])));
    }
    return metrics;
  }

  // --- asking ---

  static Ask<Evaluated> instant(Caller caller, String text) {
    return Ask.of(caller, Request.Promql.of(text, END, END, 0, LOOKBACK), 120_000);
  }

  static Ask<Evaluated> range(Caller caller, String text, long start, long end) {
    return Ask.of(caller, Request.Promql.of(text, start, end, STEP, LOOKBACK), 120_000);
  }

  static <T> Ask<T> with(Ask<T> ask, Planner.Mode mode, boolean cached, boolean strict) {
    return new Ask<>(
        ask.caller(),
        ask.request(),
        new Ask.Options(mode, cached, strict, ask.options().timeoutMillis()));
  }

  static <T> Ask<T> within(Ask<T> ask, long millis) {
    Ask.Options options = ask.options();
    return new Ask<>(
        ask.caller(),
        ask.request(),
        new Ask.Options(options.mode(), options.cached(), options.strict(), millis));
  }

  static <T> Ask<T> strictly(Ask<T> ask) {
    return with(ask, ask.options().mode(), ask.options().cached(), true);
  }

  static <T> Ask<T> uncached(Ask<T> ask) {
    return with(ask, ask.options().mode(), false, ask.options().strict());
  }

  <T> Future<Reply<T>> begin(Ask<T> ask) {
    return querier.answer(ask, Span.NONE, new Cancellation());
  }

  <T> Reply<T> answer(Ask<T> ask) throws TimeoutException {
    return await(begin(ask));
  }

  static <T> T await(Future<T> future) throws TimeoutException {
    return future.await(120, TimeUnit.SECONDS);
  }

  /** The value of an instant query with one sample. */
  double value(Caller caller, String text) throws TimeoutException {
    Answer.Vector vector = (Answer.Vector) answer(instant(caller, text)).value().result();
    return vector.samples().getFirst().value();
  }

  // --- what is right ---

  /** The answer of one evaluation over all samples that a caller sees. */
  Answer expected(Ask<Evaluated> ask) throws QueryFailure, ParseException {
    Request.Promql promql = (Request.Promql) ask.request();
    Query query =
        new Query(
            promql.text(),
            Parser.parse(
                promql.text(),
                new ParseOptions(Feature.STOCK, promql.end() - promql.start(), promql.step())),
            promql.start(),
            promql.end(),
            promql.step(),
            Query.Settings.STOCK.withLookback(promql.lookback()));
    return Engine.run(
        Planner.prepared(query, ask.caller().scope(), Aliases.NONE), source(), StopCheck.NEVER);
  }

  private SeriesSource source() {
    List<Series> all = fleet.allSeries();
    return (selection, receiver) -> {
      for (Series each : all) {
        if (isMeant(selection, each)) {
          receiver.accept(each);
        }
      }
    };
  }

  private static boolean isMeant(Selection selection, Series series) {
    return Series.firstAfter(series.times(), 0, series.size(), selection.from())
            < Series.firstAfter(series.times(), 0, series.size(), selection.to())
        && selection.matchers().stream().allMatch(one -> one.matches(series.labels()));
  }
}

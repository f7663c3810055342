package io.fleetgauge.query.answer;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.plan.AliasUse;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.plan.TimeSplit;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.cache.AnsweredRange;
import io.fleetgauge.query.cache.CachedBody;
import io.fleetgauge.query.cache.ChangeFeed;
import io.fleetgauge.query.cache.ExtentCache;
import io.fleetgauge.query.cache.ReadTime;
import io.fleetgauge.query.cache.RecentAnswers;
import io.fleetgauge.query.cache.Versions;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.fleet.Fleet;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Answers PromQL queries: parses and plans once, takes the steps that the cache has, executes the
 * rest, and keeps what may be kept. Thread-safe.
 */
final class Evaluations {
  /** A window with more gaps than this between its cached steps is executed as a whole. */
  private static final int MAX_GAPS = 2;

  /** How many tenants can fill their share of the memory for extents. */
  private static final int CACHE_SHARES = 4;

  private static final int ANSWER_BYTES = 500;

  /** Of a point with its text in the encoded body, plain and compressed. */
  private static final int POINT_BYTES = 56;

  /** Of the labels of a series at the least. */
  private static final int LABEL_BYTES = 20 * POINT_BYTES;

  private static final long CHARACTER_BYTES = 2;

  /** Of a character that is in the encoded body too. */
  private static final long TEXT_BYTES = 4;

  private final Set<Feature> features;
  private final Fleet fleet;
  private final Execution execution;
  private final ChangeFeed feed;
  private final Versions versions;
  private final VisibleHosts visible;
  private final AliasTable aliases;
  private final ExtentCache extents;
  private final RecentAnswers<Ask.Key, Reply<Evaluated>> recent;

  Evaluations(
      QueryConfig config,
      Fleet fleet,
      Execution execution,
      ChangeFeed feed,
      Versions versions,
      VisibleHosts visible,
      AliasTable aliases) {
    this.features = Feature.named(config.features());
    this.fleet = fleet;
    this.execution = execution;
    this.feed = feed;
    this.versions = versions;
    this.visible = visible;
    this.aliases = aliases;
    this.extents = new ExtentCache(versions, config.cacheBytes(), CACHE_SHARES);
    this.recent = new RecentAnswers<>(versions, config.cacheBytes() / 4, Evaluations::bytes);
  }

  private static int bytes(Ask.Key key, Reply<Evaluated> reply) {
    long bytes = ANSWER_BYTES + textBytes(key) + textBytes(reply);
    switch (reply.value().result()) {
      case Answer.Matrix matrix -> {
        for (Series each : matrix.series()) {
          bytes += each.size() * POINT_BYTES + labelBytes(each.labels());
        }
      }
      case Answer.Vector vector -> {
        for (Answer.Sample each : vector.samples()) {
          bytes += labelBytes(each.labels());
        }
      }
      case Answer.Scalar scalar -> bytes += POINT_BYTES;
      case Answer.Text text -> bytes += POINT_BYTES + TEXT_BYTES * text.value().length();
    }
    // The body is encoded later; that there will be one of about this size is known.
    return (int) Math.min(bytes + reply.value().body().bytes(), Integer.MAX_VALUE);
  }

  private static long labelBytes(Labels labels) {
    long length = 0;
    for (int i = 0; i < labels.size(); i++) {
      length += labels.name(i).length() + labels.value(i).length();
    }
    return Math.max(LABEL_BYTES, TEXT_BYTES * length);
  }

  private static long textBytes(Ask.Key key) {
    long length = key.tenant().length() + key.text().length();
    for (Matcher each : key.scope()) {
      length += each.name().length() + each.value().length();
    }
    return CHARACTER_BYTES * length;
  }

  private static long textBytes(Reply<Evaluated> reply) {
    QueryTrace trace = reply.value().trace();
    long length = trace.plan().length();
    for (Map.Entry<String, String> each : trace.reasons().entrySet()) {
      length += each.getKey().length() + each.getValue().length();
    }
    for (List<String> lines : List.of(reply.warnings(), reply.value().infos())) {
      length += lines.stream().mapToLong(String::length).sum();
    }
    return CHARACTER_BYTES * length;
  }

  ExtentCache extents() {
    return extents;
  }

  RecentAnswers<Ask.Key, Reply<Evaluated>> recent() {
    return recent;
  }

  /** An equal query's answer that is still valid, found before anything is parsed or planned. */
  Future<Optional<Reply<Evaluated>>> known(Ask.Key key) {
    return recent.has(key)
        ? feed.refresh().map(stamp -> recent.find(key))
        : Future.succeededFuture(Optional.empty());
  }

  /**
   * An expression from its text.
   *
   * @param range of the query, ms
   * @param step of the query, ms
   * @throws QueryFailure with Prometheus's message for its parameter {@code query}
   */
  static Expr parsed(String text, Set<Feature> features, long range, long step)
      throws QueryFailure {
    try {
      return Parser.parse(text, new ParseOptions(features, range, step));
    } catch (ParseException e) {
      throw new QueryFailure(
          QueryFailure.Kind.BAD_DATA, "invalid parameter \"query\": " + e.getMessage());
    }
  }

  /** Answers a query that is not {@link #known}. */
  Future<Reply<Evaluated>> execute(RunningQuery running, Request.Promql promql) {
    PlannedPiece whole;
    try {
      checkShape(running.caller(), promql);
      Query query = query(running.caller(), promql);
      whole =
          PlannedPiece.of(
              Planner.plan(
                  query,
                  running.caller().scope(),
                  AliasUse.of(query.expr(), aliases),
                  running.ask().options().mode()));
    } catch (QueryFailure e) {
      return Future.failedFuture(e);
    }
    running.look(visible);
    boolean cached = running.ask().options().cached();
    if (cached && TimeSplit.isAllowed(whole.query())) {
      return byExtents(running, promql, whole);
    }
    return stamp(cached && !feed.isCurrent())
        .compose(stamp -> asWhole(running, promql, whole, Optional.empty(), stamp));
  }

  private static void checkShape(Caller caller, Request.Promql promql) throws QueryFailure {
    TenantLimits limits = caller.limits();
    long range = promql.end() - promql.start();
    if (range > limits.range().toMillis()) {
      throw caller.over("range", range / 1000 + " s", limits.range().toSeconds() + " s");
    }
    long points = promql.isInstant() ? 1 : range / promql.step() + 1;
    if (points > limits.points()) {
      throw caller.over("points", points, limits.points());
    }
  }

  private Query query(Caller caller, Request.Promql promql) throws QueryFailure {
    Expr expr =
        promql.parsed().isPresent()
            ? promql.parsed().get()
            : parsed(promql.text(), features, promql.end() - promql.start(), promql.step());
    return new Query(
        promql.text(),
        expr,
        promql.start(),
        promql.end(),
        promql.step(),
        Query.Settings.STOCK
            .withLookback(promql.lookback())
            .withMaxSamples(caller.limits().samples())
            .withFeatures(features));
  }

  private Future<Reply<Evaluated>> byExtents(
      RunningQuery running, Request.Promql promql, PlannedPiece whole) {
    Query query = whole.query();
    ExtentCache.Key key = ExtentCache.Key.of(running.tenant(), query);
    long last = whole.lastStep();
    Window window = new Window(whole, key);
    boolean isKnown = extents.has(key, query.start(), last);
    if (isKnown && feed.isCurrent()) {
      Found found = found(window, extents.peek(key, query.start(), last));
      if (!found.known.isEmpty() && found.gaps.size() == 1) {
        try {
          PlannedPiece gap = piece(whole, found.gaps.getFirst());
          if (gap.isOneRead()) {
            return inOneRound(running, promql, window, gap, found);
          }
        } catch (QueryFailure e) {
          return Future.failedFuture(e);
        }
      }
    }
    return stamp(isKnown || !feed.isCurrent())
        .compose(
            stamp -> {
              Found found = found(window, extents.find(key, query.start(), last));
              return found.known.isEmpty() || found.gaps.size() > MAX_GAPS
                  ? asWhole(running, promql, whole, Optional.of(key), stamp)
                  : filled(running, promql, window, found, stamp);
            });
  }

  /** The steps of a query whose answers are kept by a key. */
  private record Window(PlannedPiece whole, ExtentCache.Key key) {}

  private Found found(Window window, List<AnsweredRange> known) {
    return new Found(known, gaps(window.whole.query(), window.whole.lastStep(), known));
  }

  /**
   * Executes what seems to be missing, and learns by the same requests whether the rest is still
   * valid. Seldom it is not, or others learn something at the same time; then that takes a round.
   */
  private Future<Reply<Evaluated>> inOneRound(
      RunningQuery running,
      Request.Promql promql,
      Window window,
      PlannedPiece gap,
      Found expected) {
    ChangeFeed.Look look = feed.begin();
    return execution
        .execute(running, window.whole, List.of(gap), look.last())
        .compose(
            done -> {
              Optional<Long> stamp =
                  done.executed().getFirst().changes().flatMap(each -> feed.end(look, each));
              return stamp.isPresent()
                  ? joined(running, promql, window, done, expected, stamp.get(), stamp.get())
                  : feed.refresh()
                      .compose(
                          now ->
                              joined(running, promql, window, done, expected, look.stamp(), now));
            });
  }

  /**
   * Joins what was executed with what the cache has, if that is what was expected.
   *
   * @param stamp what was executed can be kept with
   * @param now the newest stamp
   */
  private Future<Reply<Evaluated>> joined(
      RunningQuery running,
      Request.Promql promql,
      Window window,
      Execution.Done done,
      Found expected,
      long stamp,
      long now) {
    Query query = window.whole.query();
    Found found = found(window, extents.find(window.key, query.start(), window.whole.lastStep()));
    if (found.gaps.equals(expected.gaps)) {
      return joined(running, promql, window, done, found, stamp);
    }
    return found.known.isEmpty() || found.gaps.size() > MAX_GAPS
        ? asWhole(running, promql, window.whole, Optional.of(window.key), now)
        : filled(running, promql, window, found, now);
  }

  /** Consecutive steps that the cache lacks: the first and the last, ms. */
  private record Gap(long from, long to) {}

  /** What the cache has of a window, and what it lacks. */
  private record Found(List<AnsweredRange> known, List<Gap> gaps) {}

  /**
   * The stamp that an answer is kept with, taken before anything is read. An older one will do when
   * nothing is taken from the cache: what changed since then counts as changed later.
   */
  Future<Long> stamp(boolean fresh) {
    return fresh ? feed.refresh() : Future.succeededFuture(versions.stamp());
  }

  /** The steps of a query that are not known. */
  private static List<Gap> gaps(Query query, long last, List<AnsweredRange> known) {
    List<Gap> gaps = new ArrayList<>();
    long next = query.start();
    for (AnsweredRange range : known) {
      if (range.from() > next) {
        gaps.add(new Gap(next, range.from() - query.step()));
      }
      next = range.to() + query.step();
    }
    if (next <= last) {
      gaps.add(new Gap(next, last));
    }
    return gaps;
  }

  private static PlannedPiece piece(PlannedPiece whole, Gap gap) throws QueryFailure {
    return PlannedPiece.of(Planner.atSteps(whole.planned(), gap.from, gap.to));
  }

  private Future<Reply<Evaluated>> filled(
      RunningQuery running, Request.Promql promql, Window window, Found found, long stamp) {
    List<PlannedPiece> pieces = new ArrayList<>();
    try {
      for (Gap gap : found.gaps) {
        pieces.add(piece(window.whole, gap));
      }
    } catch (QueryFailure e) {
      return Future.failedFuture(e);
    }
    return execution
        .execute(running, window.whole, pieces, Optional.empty())
        .compose(done -> joined(running, promql, window, done, found, stamp));
  }

  private Future<Reply<Evaluated>> joined(
      RunningQuery running,
      Request.Promql promql,
      Window window,
      Execution.Done done,
      Found found,
      long stamp) {
    Optional<AnsweredRange> joined = joined(found.known, done, stamp);
    if (joined.isEmpty()) {
      return asWhole(running, promql, window.whole, Optional.of(window.key), stamp);
    }
    return reply(running, window.whole, done, joined.get())
        .onSuccess(
            reply -> {
              // What came from the cache was found unchanged at this stamp.
              keep(running, promql, reply, done, window.whole.readTime(stamp));
              for (Execution.Executed executed : done.executed()) {
                keep(window.key, done, range(executed, stamp));
              }
            });
  }

  private static Optional<AnsweredRange> joined(
      List<AnsweredRange> known, Execution.Done done, long stamp) {
    List<AnsweredRange> all = new ArrayList<>(known);
    for (Execution.Executed executed : done.executed()) {
      if (!executed.isPlain()) {
        return Optional.empty();
      }
      all.add(range(executed, stamp));
    }
    all.sort(Comparator.comparingLong(AnsweredRange::from));
    return AnsweredRange.joined(all);
  }

  /** An executed piece of a range query for the cache. */
  private static AnsweredRange range(Execution.Executed executed, long stamp) {
    Query query = executed.piece().query();
    Answer.Matrix matrix = (Answer.Matrix) executed.answer().result();
    long last = executed.piece().lastStep();
    List<String> warnings = executed.answer().warnings();
    List<String> infos = executed.answer().infos();
    boolean uniform =
        AnsweredRange.isUniform(
            matrix.series(),
            !warnings.isEmpty() || !infos.isEmpty(),
            TimeSplit.isProvenByPoints(query.expr(), warnings, infos),
            query.start(),
            last,
            query.step());
    return new AnsweredRange(
        query.start(),
        last,
        matrix.series(),
        warnings,
        infos,
        executed.piece().readTime(stamp),
        uniform);
  }

  /**
   * @param key under which its steps are kept, if it may be split by time
   */
  private Future<Reply<Evaluated>> asWhole(
      RunningQuery running,
      Request.Promql promql,
      PlannedPiece whole,
      Optional<ExtentCache.Key> key,
      long stamp) {
    return execution
        .execute(running, whole, List.of(whole), Optional.empty())
        .compose(
            done ->
                reply(running, whole, done, null)
                    .onSuccess(
                        reply -> {
                          Execution.Executed executed = done.executed().getFirst();
                          keep(running, promql, reply, done, executed.piece().readTime(stamp));
                          if (key.isPresent() && executed.isPlain()) {
                            keep(key.get(), done, range(executed, stamp));
                          }
                        }));
  }

  /** Keeps an answer that is whole and was read from the shards whose changes are reported. */
  private void keep(
      RunningQuery running,
      Request.Promql promql,
      Reply<Evaluated> reply,
      Execution.Done done,
      ReadTime read) {
    if (running.ask().options().cached() && isKeepable(done)) {
      recent.keep(running.ask().key(promql), reply, read);
    }
  }

  private void keep(ExtentCache.Key key, Execution.Done done, AnsweredRange range) {
    if (isKeepable(done)) {
      // Steps after the watermark may still get samples.
      extents.keep(key, range, feed.watermark());
    }
  }

  private boolean isKeepable(Execution.Done done) {
    long epoch = feed.epoch();
    return done.executed().stream().allMatch(each -> each.isKeepable(epoch));
  }

  /**
   * @param joined the steps from the cache and the executed ones; null if all were executed
   */
  private Future<Reply<Evaluated>> reply(
      RunningQuery running, PlannedPiece whole, Execution.Done done, AnsweredRange joined) {
    Coverage coverage = Coverage.NONE;
    long samples = 0;
    long peak = 0;
    long cells = 0;
    long evaluated = 0;
    long executedSteps = 0;
    for (Execution.Executed executed : done.executed()) {
      coverage = coverage.and(executed.coverage());
      samples += executed.samples();
      peak = Math.max(peak, executed.answer().stats().peakSamples());
      cells += executed.rollupCells();
      evaluated += executed.evaluatedNanos();
      executedSteps += executed.piece().steps();
    }
    if (coverage.epoch() < 0) {
      coverage = Coverage.whole(fleet.hostCount(), feed.epoch());
    }
    Answer last = joined == null ? done.executed().getLast().answer() : null;
    // Who has a scope learns nothing of gateways.
    List<QueryTrace.Shard> shardTimes =
        running.caller().seesAllHosts()
            ? coverage.times().stream().map(QueryTrace.Shard::of).toList()
            : List.of();
    QueryTrace trace =
        new QueryTrace(
            whole.planned().plan().toString(),
            done.reasons(),
            done.cost(),
            samples,
            cells,
            whole.steps() - executedSteps,
            whole.steps(),
            shardTimes);
    Evaluated.Timings timings =
        new Evaluated.Timings(
            done.placed() - running.begun(),
            System.nanoTime() - done.placed() - evaluated,
            evaluated);
    Evaluated answer =
        new Evaluated(
            last == null ? new Answer.Matrix(joined.series()) : last.result(),
            last == null ? joined.infos() : last.infos(),
            new Answer.Stats(samples, peak),
            timings,
            trace,
            new CachedBody());
    List<String> remarks = last == null ? joined.warnings() : last.warnings();
    return running
        .completeness(coverage, feed.watermark())
        .map(
            completeness -> {
              List<String> warnings = new ArrayList<>(completeness.warnings());
              warnings.addAll(remarks);
              return new Reply<>(answer, warnings, completeness);
            });
  }
}

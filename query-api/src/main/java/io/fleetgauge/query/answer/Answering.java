package io.fleetgauge.query.answer;

import io.fleetgauge.cluster.config.QueryConfig;
import io.fleetgauge.cluster.config.TenantLimits;
import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.plan.TimeSplit;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.query.cache.Extents;
import io.fleetgauge.query.cache.Extents.Stretch;
import io.fleetgauge.query.cache.Versions;
import io.fleetgauge.query.fanout.Cancellation;
import io.fleetgauge.query.fanout.ChangeFeed;
import io.fleetgauge.query.fanout.Fanout;
import io.fleetgauge.query.fanout.ShardTime;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The way of a query: what is known from before, who is asking the same already, what it would
 * cost, a place, the shards, and what is left to evaluate. Safe for all threads.
 */
public final class Answering {
  /** Windows with more holes than this are answered as a whole. */
  private static final int MOST_HOLES = 2;

  private final QueryConfig config;
  private final Fanout fanout;
  private final ChangeFeed feed;
  private final Versions versions;
  private final Extents extents;
  private final Recent recent;
  private final Work work;
  private final Flights flights = new Flights();
  private final Running running = new Running();

  /**
   * @param workers where queries are evaluated
   * @param heavyWorkers where those are that others should not wait for
   */
  public Answering(
      QueryConfig config,
      Admission admission,
      Fanout fanout,
      ChangeFeed feed,
      Versions versions,
      Extents extents,
      WorkerExecutor workers,
      WorkerExecutor heavyWorkers) {
    this.config = config;
    this.fanout = fanout;
    this.feed = feed;
    this.versions = versions;
    this.extents = extents;
    this.recent = new Recent(versions, config.cacheBytes() / 4);
    this.work = new Work(config, admission, fanout, workers, heavyWorkers);
  }

  public Running running() {
    return running;
  }

  /** Kept folds that answers were made of. */
  public long rollupCells() {
    return work.rollupCells();
  }

  /** Queries of which gateways evaluated parts. */
  public long rewritten() {
    return work.rewritten();
  }

  /** Queries that were evaluated from samples because a gateway could not prove its part. */
  public long fallbacks() {
    return work.fallbacks();
  }

  /** Answers that were given again as a whole. */
  public long recentHits() {
    return recent.hits();
  }

  /** Bytes of answers that may be given again. */
  public long recentBytes() {
    return recent.bytes();
  }

  /** Queries that waited for an equal one under way. */
  public long joined() {
    return flights.joined();
  }

  /**
   * An equal question's answer that still holds, before anything is parsed or planned.
   *
   * @param asker the connection, so that many who come can be served as one
   */
  public Future<Optional<Answered>> known(Ask.Key key, int asker) {
    return recent.has(key)
        ? feed.refresh(asker).map(stamp -> recent.find(key))
        : Future.succeededFuture(Optional.empty());
  }

  /** Whoever asked on a connection is answered. */
  public void answered(int asker) {
    feed.answered(asker);
  }

  /**
   * Answers a question that is not {@link #known}.
   *
   * @param cancellation says when the asker has gone
   */
  public Future<Answered> answer(Ask ask, Cancellation cancellation) {
    try {
      checkShape(ask);
    } catch (QueryFailure e) {
      return Future.failedFuture(e);
    }
    Future<Answered> answer =
        ask.cached()
            ? flights.join(ask.key(), cancellation, flight -> lead(ask, flight))
            : lead(ask, cancellation);
    return answer
        .timeout(ask.timeoutMillis(), TimeUnit.MILLISECONDS)
        .recover(
            failure -> {
              if (failure instanceof TimeoutException) {
                cancellation.cancel();
                return Future.failedFuture(late(ask.timeoutMillis()));
              }
              return Future.failedFuture(failure);
            });
  }

  private void checkShape(Ask ask) throws QueryFailure {
    TenantLimits limits = ask.limits();
    Query query = ask.query();
    long range = query.end() - query.start();
    if (range > limits.range().toMillis()) {
      throw ask.over("range", range / 1000 + " s", limits.range().toSeconds() + " s");
    }
    long points = query.isInstant() ? 1 : range / query.step() + 1;
    if (points > limits.points()) {
      throw ask.over("points", points, limits.points());
    }
  }

  private static StopCheck stopSign(long deadline, long timeoutMillis, Cancellation cancellation) {
    return () -> {
      if (cancellation.isCancelled()) {
        return Optional.of(
            new QueryFailure(
                QueryFailure.Kind.CANCELED, "query was canceled in expression evaluation"));
      }
      return System.nanoTime() < deadline ? Optional.empty() : Optional.of(late(timeoutMillis));
    };
  }

  private static QueryFailure late(long timeoutMillis) {
    return new QueryFailure(
        QueryFailure.Kind.TIMEOUT,
        "query timed out in expression evaluation after " + timeoutMillis + " ms");
  }

  // --- one answer for all who ask ---

  /** The time that a query reads, in ms: behind {@code after} and up to {@code to}. */
  private record Reads(long after, long to) {
    static Reads of(Query prepared) throws QueryFailure {
      long after = Long.MAX_VALUE;
      long to = Long.MIN_VALUE;
      for (Selection selection : Engine.selections(prepared, Set.of())) {
        after = Math.min(after, selection.from());
        to = Math.max(to, selection.to());
      }
      return new Reads(after, to);
    }
  }

  private Future<Answered> lead(Ask ask, Cancellation cancellation) {
    Planned planned;
    Reads reads;
    try {
      planned = Planner.plan(ask.query(), ask.scope(), ask.mode());
      reads = Reads.of(planned.query());
    } catch (QueryFailure e) {
      return Future.failedFuture(e);
    }
    long begin = System.nanoTime();
    long deadline = begin + ask.timeoutMillis() * 1_000_000;
    Trip trip =
        new Trip(
            ask,
            planned,
            running.begin(ask, cancellation),
            begin,
            deadline,
            stopSign(deadline, ask.timeoutMillis(), cancellation),
            cancellation);
    Future<Answered> answer =
        ask.cached() && TimeSplit.isAllowed(planned.query())
            ? byExtents(trip, reads)
            : stamp(ask.cached() && !feed.isCurrent()).compose(stamp -> whole(trip, reads, stamp));
    return answer.onComplete(done -> running.end(trip.entry()));
  }

  private Extents.Question question(Trip trip) {
    Query query = trip.planned().query();
    return new Extents.Question(
        query.expr().toString(),
        query.settings().lookback(),
        query.step(),
        Math.floorMod(query.start(), query.step()));
  }

  private static long lastStep(Query query) {
    return query.start() + (query.end() - query.start()) / query.step() * query.step();
  }

  private Future<Answered> byExtents(Trip trip, Reads reads) {
    Query query = trip.planned().query();
    Extents.Question question = question(trip);
    long last = lastStep(query);
    String tenant = trip.ask().tenant();
    boolean needsFresh = extents.has(tenant, question, query.start(), last) || !feed.isCurrent();
    return stamp(needsFresh)
        .compose(
            stamp -> {
              List<Stretch> known = extents.find(tenant, question, query.start(), last);
              List<Query> holes = holes(query, last, known);
              return known.isEmpty() || holes.size() > MOST_HOLES
                  ? whole(trip, reads, stamp)
                  : filled(trip, reads, question, known, holes, stamp);
            });
  }

  /** An older stamp does for what is only kept: whatever changed since counts as changed then. */
  private Future<Long> stamp(boolean fresh) {
    return fresh ? feed.refresh() : Future.succeededFuture(versions.stamp());
  }

  /** What of the query is not known, as queries. */
  private static List<Query> holes(Query query, long last, List<Stretch> known) {
    List<Query> holes = new ArrayList<>();
    long next = query.start();
    for (Stretch stretch : known) {
      if (stretch.from() > next) {
        holes.add(piece(query, next, stretch.from() - query.step()));
      }
      next = stretch.to() + query.step();
    }
    if (next <= last) {
      holes.add(piece(query, next, last));
    }
    return holes;
  }

  private static Query piece(Query query, long from, long to) {
    return new Query(query.text(), query.expr(), from, to, query.step(), query.settings());
  }

  private Future<Answered> filled(
      Trip trip,
      Reads reads,
      Extents.Question question,
      List<Stretch> known,
      List<Query> holes,
      long stamp) {
    List<Planned> pieces = new ArrayList<>();
    try {
      for (Query hole : holes) {
        // Scoped and folded already.
        pieces.add(Planner.plan(hole, List.of(), trip.ask().mode()));
      }
    } catch (QueryFailure e) {
      return Future.failedFuture(e);
    }
    return work.admitted(trip, pieces)
        .compose(
            done -> {
              List<Stretch> all = new ArrayList<>(known);
              boolean plain = done.executed().stream().allMatch(Work.Executed::isPlain);
              for (int i = 0; plain && i < pieces.size(); i++) {
                all.add(stretch(pieces.get(i), done.executed().get(i), stamp));
              }
              all.sort(java.util.Comparator.comparingLong(Stretch::from));
              Optional<Stretch> joined = plain ? Extents.joined(all) : Optional.empty();
              if (joined.isEmpty()) {
                return whole(trip, reads, stamp);
              }
              Answered answered = answered(trip, done, joined.get());
              keep(trip, question, answered, done, joined.get(), reads, stamp);
              return Future.succeededFuture(answered);
            });
  }

  private static Stretch stretch(Planned planned, Work.Executed executed, long stamp) {
    Query query = planned.query();
    Answer.Matrix matrix = (Answer.Matrix) executed.answer().result();
    Reads reads;
    try {
      reads = Reads.of(query);
    } catch (QueryFailure e) {
      throw new IllegalStateException(e); // it has been answered
    }
    long last = lastStep(query);
    List<String> warnings = executed.answer().warnings();
    List<String> infos = executed.answer().infos();
    boolean steady =
        Stretch.isSteady(
            matrix.series(),
            !warnings.isEmpty() || !infos.isEmpty(),
            TimeSplit.isStrict(query.expr()),
            query.start(),
            last,
            query.step());
    return new Stretch(
        query.start(),
        last,
        matrix.series(),
        warnings,
        infos,
        reads.after,
        reads.to,
        stamp,
        steady);
  }

  private Future<Answered> whole(Trip trip, Reads reads, long stamp) {
    return work.admitted(trip, List.of(trip.planned()))
        .map(
            done -> {
              Work.Executed executed = done.executed().getFirst();
              Answered answered = answered(trip, done, null);
              if (trip.ask().cached()) {
                boolean split = executed.isPlain() && TimeSplit.isAllowed(trip.planned().query());
                keep(
                    trip,
                    split ? question(trip) : null,
                    answered,
                    done,
                    split ? stretch(trip.planned(), executed, stamp) : null,
                    reads,
                    stamp);
              }
              return answered;
            });
  }

  /** Keeps what is whole and read where the versions are told. */
  private void keep(
      Trip trip,
      Extents.Question question,
      Answered answered,
      Work.Done done,
      Stretch stretch,
      Reads reads,
      long stamp) {
    long epoch = feed.epoch();
    if (!answered.completeness().isWhole()
        || !done.executed().stream().allMatch(each -> each.isKeepable(epoch))) {
      return;
    }
    recent.keep(trip.ask().key(), answered, reads.after, reads.to, stamp);
    if (question != null) {
      // Steps behind the watermark may still get samples.
      extents.keep(trip.ask().tenant(), question, stretch, feed.watermark());
    }
  }

  private Answered answered(Trip trip, Work.Done done, Stretch joined) {
    Work.Executed last = done.executed().isEmpty() ? null : done.executed().getLast();
    List<String> holes = new ArrayList<>();
    TreeSet<String> missing = new TreeSet<>();
    List<ShardTime> shards = new ArrayList<>();
    int expected = fanout.hosts();
    long epoch = feed.epoch();
    long samples = 0;
    long peak = 0;
    long cells = 0;
    long evaluated = 0;
    for (Work.Executed executed : done.executed()) {
      executed.holes().stream().filter(each -> !holes.contains(each)).forEach(holes::add);
      missing.addAll(executed.missing());
      shards.addAll(executed.shards());
      expected = executed.expected();
      epoch = executed.epoch();
      samples += executed.samples();
      peak = Math.max(peak, executed.answer().stats().peakSamples());
      cells += executed.cells();
      evaluated += executed.evaluatedNanos();
    }
    Completeness completeness =
        new Completeness(expected, List.copyOf(missing), epoch, feed.watermark(), holes);
    Answer.Result result =
        joined == null ? last.answer().result() : new Answer.Matrix(joined.series());
    List<String> warnings = new ArrayList<>(holes);
    warnings.addAll(joined == null ? last.answer().warnings() : joined.warnings());
    List<String> infos = joined == null ? last.answer().infos() : joined.infos();
    Query query = trip.planned().query();
    long steps = query.isInstant() ? 1 : (query.end() - query.start()) / query.step() + 1;
    Trace trace =
        new Trace(
            trip.planned().plan().toString(),
            done.reasons(),
            done.cost(),
            samples,
            cells,
            steps - done.steps(),
            steps,
            shards);
    Answered.Timings timings =
        new Answered.Timings(
            done.placed() - trip.begin(), System.nanoTime() - done.placed() - evaluated, evaluated);
    return new Answered(
        result,
        warnings,
        infos,
        new Answer.Stats(samples, peak),
        timings,
        completeness,
        trace,
        new Written());
  }
}

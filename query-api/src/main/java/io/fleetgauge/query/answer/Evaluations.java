package io.fleetgauge.query.answer;

import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.plan.TimeSplit;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.AnswerCaches.Filling;
import io.fleetgauge.query.answer.AnswerCaches.Gap;
import io.fleetgauge.query.answer.AnswerCaches.Window;
import io.fleetgauge.query.cache.AnsweredRange;
import io.fleetgauge.query.cache.CachedBody;
import io.fleetgauge.query.cache.ChangeFeed;
import io.fleetgauge.query.cache.ReadTime;
import io.fleetgauge.query.cache.SingleFlight;
import io.fleetgauge.query.fleet.Fleet;
import io.fleetgauge.query.fleet.Stores;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.OtherStores;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.trace.Span;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Answers PromQL queries, from top to bottom: an answer that is known, one that is under way, a
 * plan, the steps that are kept, the execution of the rest, the reply, and what is kept of it.
 * Thread-safe.
 */
final class Evaluations {
  private final QueryPlans plans;
  private final AnswerCaches caches;
  private final ChangeFeed feed;
  private final Execution execution;
  private final Fleet fleet;
  private final OtherStores others;
  private final VisibleHosts visible;
  private final RunningQueries running;
  private final SingleFlight<Ask.FlightKey, Reply<Evaluated>> flights = new SingleFlight<>();

  Evaluations(
      QueryPlans plans,
      AnswerCaches caches,
      ChangeFeed feed,
      Execution execution,
      Stores stores,
      VisibleHosts visible,
      RunningQueries running) {
    this.plans = plans;
    this.caches = caches;
    this.feed = feed;
    this.execution = execution;
    this.fleet = stores.fleet();
    this.others = stores.others();
    this.visible = visible;
    this.running = running;
  }

  /**
   * @param span that the query is a part of
   * @param cancellation ends the work for this caller
   */
  Future<Reply<Evaluated>> answer(
      Ask<Evaluated> ask, Request.Promql promql, Span span, Cancellation cancellation) {
    if (!ask.options().cached()) {
      return executed(ask, promql, span, cancellation);
    }
    Ask.Key key = ask.key(promql);
    return caches
        .known(key)
        .compose(
            known ->
                known.isPresent()
                    ? Future.succeededFuture(known.get())
                    : shared(ask, promql, key, span, cancellation));
  }

  /**
   * An execution that is under way may have read before a sample came that this caller has to see,
   * so it is joined only when the gateways say that nothing has changed since it began.
   */
  private Future<Reply<Evaluated>> shared(
      Ask<Evaluated> ask,
      Request.Promql promql,
      Ask.Key key,
      Span span,
      Cancellation cancellation) {
    Ask.FlightKey flight = ask.flightKey(key);
    return caches
        .stamp(flights.isUnderWay(flight) || !feed.isCurrent())
        .compose(
            stamp ->
                flights.join(
                    flight, stamp, cancellation, common -> executed(ask, promql, span, common)));
  }

  private Future<Reply<Evaluated>> executed(
      Ask<Evaluated> ask, Request.Promql promql, Span span, Cancellation cancellation) {
    RunningQuery query = running.begin(ask, span, cancellation);
    // The gateways are asked for the caller's hosts while the query is planned.
    Future<VisibleHosts.Sight> sight = visible.sight(ask.caller(), query.load());
    try {
      Planned whole = plans.plan(ask.caller(), promql, ask.options().mode());
      return new Evaluation(query, promql, sight, whole)
          .answer()
          .onComplete(done -> running.end(query));
    } catch (QueryFailure e) {
      running.end(query);
      return Future.failedFuture(e);
    }
  }

  /** One planned query on its way to its reply. */
  private final class Evaluation {
    private final RunningQuery query;
    private final Request.Promql promql;
    private final Future<VisibleHosts.Sight> sight;
    private final Planned whole;

    Evaluation(
        RunningQuery query,
        Request.Promql promql,
        Future<VisibleHosts.Sight> sight,
        Planned whole) {
      this.query = query;
      this.promql = promql;
      this.sight = sight;
      this.whole = whole;
    }

    Future<Reply<Evaluated>> answer() {
      return others
          .view()
          .compose(
              view ->
                  view.place(whole.reads()).place() == OtherStores.Place.GATEWAYS
                      ? atGateways()
                      : acrossSeams(view));
    }

    private Future<Reply<Evaluated>> atGateways() {
      boolean cached = query.ask().options().cached();
      if (cached && TimeSplit.isAllowed(whole.query())) {
        return bySteps(Window.of(query.tenant(), whole));
      }
      return caches
          .stamp(cached && !feed.isCurrent())
          .compose(stamp -> asWhole(Optional.empty(), stamp));
    }

    /**
     * Executes apart the steps that other stores have to be asked for, and those that the gateways
     * have all samples of; of the latter, those that are kept are taken.
     */
    private Future<Reply<Evaluated>> acrossSeams(OtherStores.View view) {
      try {
        if (!TimeSplit.isAllowed(whole.query())) {
          return asWhole(Optional.empty(), 0);
        }
        SeamSplit split = SeamSplit.of(whole, view);
        if (split.newer().isEmpty()) {
          return joinedOrWhole(split.others(), Optional.empty(), List.of(), 0);
        }
        Planned newer = split.newer().get();
        if (!query.ask().options().cached()) {
          List<Planned> all = new ArrayList<>(split.others());
          all.add(newer);
          return joinedOrWhole(all, Optional.empty(), List.of(), 0);
        }
        Window window = Window.of(query.tenant(), newer);
        return caches
            .stamp(caches.has(window) || !feed.isCurrent())
            .compose(stamp -> acrossSeams(split.others(), newer, window, stamp));
      } catch (QueryFailure e) {
        return Future.failedFuture(e);
      }
    }

    private Future<Reply<Evaluated>> acrossSeams(
        List<Planned> others, Planned newer, Window window, long stamp) {
      Filling filling = caches.filling(window);
      List<Planned> all = new ArrayList<>(others);
      if (filling.isPoor()) {
        all.add(newer);
        return joinedOrWhole(all, Optional.of(window), List.of(), stamp);
      }
      try {
        for (Gap gap : filling.gaps()) {
          all.add(piece(gap));
        }
      } catch (QueryFailure e) {
        return Future.failedFuture(e);
      }
      return joinedOrWhole(all, Optional.of(window), filling.known(), stamp);
    }

    /**
     * @param window under which steps are kept that only gateways were read for
     */
    private Future<Reply<Evaluated>> joinedOrWhole(
        List<Planned> pieces, Optional<Window> window, List<AnsweredRange> known, long stamp) {
      return execution
          .execute(query, whole, pieces, Optional.empty())
          .compose(
              done -> {
                if (!done.executed().stream().allMatch(Execution.Executed::isMatrixOfNumbers)) {
                  return asWhole(Optional.empty(), stamp);
                }
                Optional<AnsweredRange> joined = joinedAll(known, done, stamp);
                if (joined.isEmpty()) {
                  return asWhole(Optional.empty(), stamp);
                }
                return reply(done, joined.get())
                    .onSuccess(
                        reply -> {
                          if (window.isPresent()) {
                            for (Execution.Executed executed : done.executed()) {
                              caches.keep(window.get(), executed, range(executed, stamp));
                            }
                          }
                        });
              });
    }

    /** Takes the steps that are kept, and executes the rest. */
    private Future<Reply<Evaluated>> bySteps(Window window) {
      boolean isKnown = caches.has(window);
      if (isKnown && feed.isCurrent()) {
        Filling filling = caches.peek(window);
        if (!filling.known().isEmpty() && filling.gaps().size() == 1) {
          try {
            Planned gap = piece(filling.gaps().getFirst());
            if (gap.isOneRead()) {
              return inOneRound(window, gap, filling);
            }
          } catch (QueryFailure e) {
            return Future.failedFuture(e);
          }
        }
      }
      return caches
          .stamp(isKnown || !feed.isCurrent())
          .compose(stamp -> filledOrWhole(window, caches.filling(window), stamp));
    }

    /**
     * Executes what seems to be missing, and learns by the same requests whether the rest is still
     * valid. Seldom it is not, or others learn something at the same time; then that takes a round.
     */
    private Future<Reply<Evaluated>> inOneRound(Window window, Planned gap, Filling expected) {
      ChangeFeed.Look look = feed.begin();
      return execution
          .execute(query, whole, List.of(gap), look.last())
          .compose(
              done -> {
                Optional<Long> stamp =
                    done.executed().getFirst().changes().flatMap(each -> feed.end(look, each));
                return stamp.isPresent()
                    ? ifAsExpected(window, done, expected, stamp.get(), stamp.get())
                    : feed.refresh()
                        .compose(now -> ifAsExpected(window, done, expected, look.stamp(), now));
              });
    }

    /**
     * Joins what was executed with what the cache has, if that is what was expected.
     *
     * @param stamp what was executed can be kept with
     * @param now the newest stamp
     */
    private Future<Reply<Evaluated>> ifAsExpected(
        Window window, Execution.Done done, Filling expected, long stamp, long now) {
      Filling filling = caches.filling(window);
      return filling.gaps().equals(expected.gaps())
          ? joinedReply(window, done, filling, stamp)
          : filledOrWhole(window, filling, now);
    }

    private Future<Reply<Evaluated>> filledOrWhole(Window window, Filling filling, long stamp) {
      if (filling.isPoor()) {
        return asWhole(Optional.of(window), stamp);
      }
      List<Planned> pieces = new ArrayList<>();
      try {
        for (Gap gap : filling.gaps()) {
          pieces.add(piece(gap));
        }
      } catch (QueryFailure e) {
        return Future.failedFuture(e);
      }
      return execution
          .execute(query, whole, pieces, Optional.empty())
          .compose(done -> joinedReply(window, done, filling, stamp));
    }

    private Planned piece(Gap gap) throws QueryFailure {
      return Planner.atSteps(whole, gap.from(), gap.to());
    }

    private Future<Reply<Evaluated>> joinedReply(
        Window window, Execution.Done done, Filling filling, long stamp) {
      Optional<AnsweredRange> joined = joined(filling.known(), done, stamp);
      if (joined.isEmpty()) {
        return asWhole(Optional.of(window), stamp);
      }
      return reply(done, joined.get())
          .onSuccess(
              reply -> {
                // What came from the cache was found unchanged at this stamp.
                caches.keep(
                    query.ask().key(promql), reply, done, ReadTime.of(whole.reads(), stamp));
                for (Execution.Executed executed : done.executed()) {
                  caches.keep(window, executed, range(executed, stamp));
                }
              });
    }

    /**
     * @param window under which its steps are kept, if it may be split by time
     */
    private Future<Reply<Evaluated>> asWhole(Optional<Window> window, long stamp) {
      return execution
          .execute(query, whole, List.of(whole), Optional.empty())
          .compose(
              done ->
                  reply(done, null)
                      .onSuccess(
                          reply -> {
                            Execution.Executed executed = done.executed().getFirst();
                            if (query.ask().options().cached()) {
                              caches.keep(
                                  query.ask().key(promql),
                                  reply,
                                  done,
                                  ReadTime.of(executed.piece().reads(), stamp));
                            }
                            if (window.isPresent() && executed.isPlain()) {
                              caches.keep(window.get(), executed, range(executed, stamp));
                            }
                          }));
    }

    /**
     * @param joined the steps from the cache and the executed ones; null if all were executed
     */
    private Future<Reply<Evaluated>> reply(Execution.Done done, AnsweredRange joined) {
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
        coverage = Coverage.whole(fleet.hostCount(), feed.epoch()).lacking(coverage.lacks());
      }
      Answer last = joined == null ? done.executed().getLast().answer() : null;
      // Who has a scope learns nothing of gateways.
      List<QueryTrace.Shard> shardTimes =
          query.caller().seesAllHosts()
              ? coverage.times().stream().map(QueryTrace.Shard::of).toList()
              : List.of();
      QueryTrace trace =
          new QueryTrace(
              whole.plan().toString(),
              done.reasons(),
              done.cost(),
              samples,
              cells,
              whole.steps() - executedSteps,
              whole.steps(),
              shardTimes);
      Evaluated.Timings timings =
          new Evaluated.Timings(
              done.placed() - query.begun(),
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
      Coverage covered = coverage;
      return sight.map(
          hosts -> {
            Completeness completeness = hosts.completeness(covered, feed.watermark());
            List<String> warnings = new ArrayList<>(completeness.warnings());
            warnings.addAll(completeness.notes());
            warnings.addAll(remarks);
            return new Reply<>(answer, warnings, completeness);
          });
    }
  }

  private static Optional<AnsweredRange> joined(
      List<AnsweredRange> known, Execution.Done done, long stamp) {
    return done.executed().stream().allMatch(Execution.Executed::isPlain)
        ? joinedAll(known, done, stamp)
        : Optional.empty();
  }

  private static Optional<AnsweredRange> joinedAll(
      List<AnsweredRange> known, Execution.Done done, long stamp) {
    List<AnsweredRange> all = new ArrayList<>(known);
    for (Execution.Executed executed : done.executed()) {
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
        ReadTime.of(executed.piece().reads(), stamp),
        uniform);
  }

  /** Declares what is counted here and in the caches. */
  void declare(Meters meters) {
    caches.declare(meters);
    meters.counter("queries_joined", "Queries that waited for an equal one.", flights::joined);
  }
}

package io.fleetgauge.query.answer;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.admission.Cost;
import io.fleetgauge.query.shards.Coverage;
import io.fleetgauge.query.shards.Gathered;
import io.fleetgauge.query.shards.Shards;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.WorkerExecutor;
import java.util.List;
import java.util.Optional;

/**
 * Reads the samples of a long time piece by piece and folds them. A piece is as long as the density
 * of the samples before it suggests; one that turns out to be too large is read again in shorter
 * ones. Thread-safe.
 */
final class Folds {
  /** Samples of a piece, about. */
  static final long PIECE_SAMPLES = 500_000;

  /** A piece may have so many times the samples that it should have, from all shards together. */
  private static final long MAX_SURPLUS = 8;

  /** Of the first piece, when nothing is known. */
  private static final long FIRST_MILLIS = 60_000;

  private static final long MIN_MILLIS = 1_000;
  private static final int GROWTH = 4;
  private static final int SHRINKING = 8;

  private final Shards shards;
  private final Querier.Workers workers;
  private final long pieceSamples;

  /**
   * @param pieceSamples how many samples a piece should have
   */
  Folds(Shards shards, Querier.Workers workers, long pieceSamples) {
    this.shards = shards;
    this.workers = workers;
    this.pieceSamples = pieceSamples;
  }

  /** Fails when a limit of the tenant is exceeded, the time is over, or the fold fails. */
  <T> Future<Gathered<T>> read(RunningQuery query, Request.Folded<T> request) {
    return new Walk<>(query, request).begin();
  }

  /** One request on its way through time; one step at a time. */
  private final class Walk<T> {
    private final RunningQuery query;
    private final Request.Folded<T> request;
    private final SampleFold<T> fold;
    private final WorkerExecutor worker;
    private final Promise<Gathered<T>> done = Promise.promise();
    private Coverage coverage = Coverage.NONE;
    private long after;
    private long length;
    private long samples;

    Walk(RunningQuery query, Request.Folded<T> request) {
      this.query = query;
      this.request = request;
      this.fold = request.fold().get();
      this.worker = query.cost().isHeavy() ? workers.heavy() : workers.light();
      this.after = request.after();
      this.length = firstLength(query.cost());
    }

    private long firstLength(Cost cost) {
      long all = request.to() - request.after();
      if (!cost.known()) {
        return Math.min(all, FIRST_MILLIS);
      }
      return fitting(all, Math.max(1, cost.samples()), all);
    }

    /** How long a piece may be when a length has so many samples. */
    private long fitting(long millis, long found, long most) {
      double wanted = (double) millis * pieceSamples / Math.max(1, found);
      return (long) Math.clamp(wanted, Math.min(MIN_MILLIS, most), most);
    }

    Future<Gathered<T>> begin() {
      next();
      return done.future();
    }

    private void next() {
      Optional<QueryFailure> over = query.stop().reason();
      if (over.isPresent()) {
        done.tryFail(over.get());
        return;
      }
      long to = Math.min(request.to(), after + length);
      List<Selection> selections =
          request.selectors().stream()
              .map(each -> new Selection(query.caller().scoped(each), after, to))
              .toList();
      long left = query.caller().limits().samples() - samples;
      int gateways = Math.max(1, shards.cluster().gateways().size());
      long ofPiece = Math.max(1, MAX_SURPLUS * pieceSamples / gateways);
      boolean divisible = ofPiece < left && to - after > MIN_MILLIS;
      shards
          .samples(selections, divisible ? ofPiece : Math.max(0, left), query.readOptions())
          .onSuccess(found -> fold(to, found))
          .onFailure(
              failure -> {
                if (divisible && isOverBudget(failure)) {
                  length = Math.max(MIN_MILLIS, (to - after) / SHRINKING);
                  next();
                } else {
                  done.tryFail(failure);
                }
              });
    }

    private static boolean isOverBudget(Throwable failure) {
      return failure instanceof QueryFailure known && known.kind() == QueryFailure.Kind.EXECUTION;
    }

    private void fold(long to, Gathered<List<List<Series>>> found) {
      long series = 0;
      long here = 0;
      for (List<Series> selection : found.value()) {
        series += selection.size();
        here += selection.stream().mapToLong(Series::size).sum();
      }
      samples += here;
      Caller caller = query.caller();
      if (samples > caller.limits().samples()) {
        done.tryFail(caller.over("samples", samples, caller.limits().samples()));
        return;
      }
      if (series > caller.limits().series()) {
        done.tryFail(caller.over("series", series, caller.limits().series()));
        return;
      }
      coverage = coverage.and(found.coverage()).withoutTimes();
      length = fitting(to - after, here, GROWTH * (to - after));
      after = to;
      boolean isLast = to == request.to();
      worker
          .executeBlocking(
              () -> {
                fold.add(to, found.value());
                return isLast ? Optional.of(fold.value()) : Optional.<T>empty();
              },
              false)
          .onSuccess(
              value -> {
                if (value.isPresent()) {
                  done.tryComplete(new Gathered<>(value.get(), coverage));
                } else {
                  next();
                }
              })
          .onFailure(done::tryFail);
    }
  }
}

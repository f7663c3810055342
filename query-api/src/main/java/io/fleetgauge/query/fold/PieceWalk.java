package io.fleetgauge.query.fold;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.WorkerExecutor;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One fold on its way through time. A piece is as long as the density of the samples before it
 * suggests; one that turns out to be too large is read again in shorter ones. One step at a time.
 *
 * @param <T> the value of the fold
 */
public final class PieceWalk<T> {
  /** Samples of a piece, about. */
  public static final long PIECE_SAMPLES = 500_000;

  /** A piece may have so many times the samples that it should have, from all shards together. */
  private static final long MAX_SURPLUS = 8;

  /** Length of the first piece, when nothing is known. */
  private static final long FIRST_MILLIS = 60_000;

  private static final long MIN_MILLIS = 1_000;
  private static final int GROWTH = 4;
  private static final int SHRINKING = 8;

  private final SampleSource source;
  private final SampleFold<T> fold;
  private final WorkerExecutor worker;
  private final long pieceSamples;
  private final Promise<Gathered<T>> done = Promise.promise();
  private Coverage coverage = Coverage.NONE;
  private long after;
  private long to;
  private long length;
  private long samples;

  /**
   * @param worker where the fold is called
   * @param pieceSamples number of samples that a piece should have
   */
  public PieceWalk(
      SampleSource source, SampleFold<T> fold, WorkerExecutor worker, long pieceSamples) {
    this.source = source;
    this.fold = fold;
    this.worker = worker;
    this.pieceSamples = pieceSamples;
  }

  /**
   * Folds the samples after a time and up to another. To be called once.
   *
   * @param expected about how many samples there are, if that is known
   */
  public Future<Gathered<T>> walk(long from, long until, OptionalLong expected) {
    after = from;
    to = until;
    length =
        expected.isPresent()
            ? fitting(until - from, expected.getAsLong(), until - from)
            : Math.min(until - from, FIRST_MILLIS);
    next(0);
    return done.future();
  }

  /** Longest piece that fits when a length has so many samples. */
  private long fitting(long millis, long found, long most) {
    double wanted = (double) millis * pieceSamples / Math.max(1, found);
    return (long) Math.clamp(wanted, Math.min(MIN_MILLIS, most), most);
  }

  /**
   * @param series number of series that the last piece had
   */
  private void next(long series) {
    try {
      source.check(series, samples);
    } catch (QueryFailure e) {
      done.tryFail(e);
      return;
    }
    long end = Math.min(to, after + length);
    boolean divisible = end - after > MIN_MILLIS;
    long ofPiece = Math.max(1, MAX_SURPLUS * pieceSamples / Math.max(1, source.shards()));
    source
        .read(after, end, divisible ? ofPiece : SampleSource.ALL)
        .onSuccess(found -> fold(end, found))
        .onFailure(
            failure -> {
              if (divisible && isOverBudget(failure)) {
                length = Math.max(MIN_MILLIS, (end - after) / SHRINKING);
                next(0);
              } else {
                done.tryFail(failure);
              }
            });
  }

  private static boolean isOverBudget(Throwable failure) {
    return failure instanceof QueryFailure known && known.kind() == QueryFailure.Kind.EXECUTION;
  }

  private void fold(long end, Gathered<List<List<Series>>> found) {
    long series = 0;
    long here = 0;
    for (List<Series> selection : found.value()) {
      series += selection.size();
      here += selection.stream().mapToLong(Series::size).sum();
    }
    samples += here;
    coverage = coverage.and(found.coverage()).withoutTimes();
    length = fitting(end - after, here, GROWTH * (end - after));
    after = end;
    long seriesHere = series;
    worker
        .executeBlocking(
            () -> {
              source.check(seriesHere, samples);
              fold.add(end, found.value());
              return end == to ? Optional.of(fold.value()) : Optional.<T>empty();
            },
            false)
        .onSuccess(
            value -> {
              if (value.isPresent()) {
                done.tryComplete(new Gathered<>(value.get(), coverage));
              } else {
                next(seriesHere);
              }
            })
        .onFailure(done::tryFail);
  }
}

package io.fleetgauge.query.answer;

import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.query.cache.CachedBody;
import java.util.List;

/**
 * The answer of a PromQL query.
 *
 * @param timings where the time went
 * @param trace how the answer came about
 * @param body the encoded response, kept for later callers
 */
public record Evaluated(
    Answer.Result result,
    List<String> infos,
    Answer.Stats stats,
    Timings timings,
    QueryTrace trace,
    CachedBody body) {

  /**
   * All in nanoseconds.
   *
   * @param queued until the query had a place
   * @param fetched from then until the samples were there
   * @param evaluated from then until the result was there
   */
  public record Timings(long queued, long fetched, long evaluated) {}

  /** The same with another result. */
  public Evaluated with(Answer.Result other) {
    return new Evaluated(other, infos, stats, timings, trace, new CachedBody());
  }
}

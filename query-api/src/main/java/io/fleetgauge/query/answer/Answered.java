package io.fleetgauge.query.answer;

import io.fleetgauge.promql.query.Answer;
import java.util.List;

/**
 * @param warnings the evaluator's, and what is missing
 * @param timings where the time went
 * @param body what was written for an earlier asker, to be written again as it is
 */
public record Answered(
    Answer.Result result,
    List<String> warnings,
    List<String> infos,
    Answer.Stats stats,
    Timings timings,
    Completeness completeness,
    Trace trace,
    Written body) {

  /**
   * All in nanoseconds.
   *
   * @param queued until the query had a place
   * @param fetched from then until the samples were there
   * @param evaluated from then until the result was there
   */
  public record Timings(long queued, long fetched, long evaluated) {
    static final Timings NONE = new Timings(0, 0, 0);
  }

  /** The same with another result. */
  public Answered with(Answer.Result other, List<String> otherWarnings) {
    return new Answered(
        other, otherWarnings, infos, stats, timings, completeness, trace, new Written());
  }
}

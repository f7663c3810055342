package io.fleetgauge.query.answer;

import io.fleetgauge.promql.exec.Answer;
import java.util.List;

/**
 * @param warnings the evaluator's, and what is missing
 * @param timings where the time went
 */
public record Answered(
    Answer.Result result,
    List<String> warnings,
    List<String> infos,
    Answer.Stats stats,
    Timings timings) {

  /**
   * All in nanoseconds.
   *
   * @param queued until the query had a place
   * @param fetched from then until the samples were there
   * @param evaluated from then until the result was there
   */
  public record Timings(long queued, long fetched, long evaluated) {}
}

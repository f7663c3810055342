package io.fleetgauge.query.answer;

import java.util.List;

/**
 * An answer.
 *
 * @param warnings missing data first, then warnings of the evaluation
 * @param completeness hosts that it covers
 */
public record Reply<T>(T value, List<String> warnings, Completeness completeness) {
  /** The warning of an answer that was cut at the limit that the request sets. */
  public static final String TRUNCATED = "results truncated due to limit";
}

package io.fleetgauge.promql.expr;

import io.fleetgauge.sample.vocabulary.SeriesAliases;
import java.util.ArrayList;
import java.util.List;

/**
 * A part of what a selector with aliases selects: stored series, and how they are seen.
 *
 * @param matchers of the stored series, the scope's among them
 */
public record Reading(List<Matcher> matchers, SeriesAliases seen) {
  /** The same with more matchers. */
  public Reading scoped(List<Matcher> scope) {
    List<Matcher> all = new ArrayList<>(scope);
    all.addAll(matchers);
    return new Reading(List.copyOf(all), seen);
  }
}

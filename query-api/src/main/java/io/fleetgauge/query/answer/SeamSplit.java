package io.fleetgauge.query.answer;

import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.source.OtherStores;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The steps of a range query by the place of their samples.
 *
 * @param others steps that other stores have some or all samples of, in order
 * @param newer steps that the gateways have all samples of
 */
record SeamSplit(List<Planned> others, Optional<Planned> newer) {
  /**
   * Splits a query that {@link io.fleetgauge.promql.plan.TimeSplit} allows to split. What its steps
   * read moves forward with them or stays, so the places follow each other in time.
   */
  static SeamSplit of(Planned whole, OtherStores.View view) throws QueryFailure {
    long steps = whole.steps();
    long older = 0;
    long from = steps;
    while (older < from) {
      // The first steps that are elsewhere alone, as many as possible.
      long middle = older + (from - older) / 2;
      if (place(whole, 0, middle, view) == OtherStores.Place.STORES) {
        older = middle + 1;
      } else {
        from = middle;
      }
    }
    long both = older;
    long to = steps;
    while (both < to) {
      long middle = both + (to - both) / 2;
      if (place(whole, middle, steps - 1, view) == OtherStores.Place.GATEWAYS) {
        to = middle;
      } else {
        both = middle + 1;
      }
    }
    List<Planned> others = new ArrayList<>();
    if (older > 0) {
      others.add(some(whole, 0, older - 1));
    }
    if (both > older) {
      others.add(some(whole, older, both - 1));
    }
    return new SeamSplit(
        others, both < steps ? Optional.of(some(whole, both, steps - 1)) : Optional.empty());
  }

  private static OtherStores.Place place(
      Planned whole, long first, long last, OtherStores.View view) throws QueryFailure {
    return view.place(some(whole, first, last).reads()).place();
  }

  private static Planned some(Planned whole, long first, long last) throws QueryFailure {
    long start = whole.query().start();
    long step = whole.query().step();
    return Planner.atSteps(whole, start + first * step, start + last * step);
  }
}

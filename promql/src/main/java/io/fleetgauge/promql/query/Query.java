package io.fleetgauge.promql.query;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import java.util.Set;

/**
 * A query: its expression and the times it is evaluated at. Times in ms since the epoch, lengths in
 * ms.
 *
 * @param text the text that {@code expr} was parsed from; positions in messages refer to it
 * @param start first step
 * @param end last step at the most
 * @param step distance of steps; 0 for an instant query, where start and end are equal
 */
public record Query(String text, Expr expr, long start, long end, long step, Settings settings) {
  /**
   * Settings of the server.
   *
   * @param lookback how old a sample an instant selector may take
   * @param maxSamples most samples that may be in memory at once
   * @param subqueryStep the step of a subquery that names none
   * @param features the parts of the language that are on
   */
  public record Settings(long lookback, long maxSamples, long subqueryStep, Set<Feature> features) {
    /** Those of a stock Prometheus 3.5. */
    public static final Settings STOCK = new Settings(300_000, 50_000_000, 60_000, Feature.STOCK);

    public Settings withLookback(long millis) {
      return new Settings(millis, maxSamples, subqueryStep, features);
    }

    public Settings withFeatures(Set<Feature> those) {
      return new Settings(lookback, maxSamples, subqueryStep, those);
    }

    public Settings withMaxSamples(long samples) {
      return new Settings(lookback, samples, subqueryStep, features);
    }
  }

  public boolean isInstant() {
    return step == 0;
  }

  /** The same query with another expression. */
  public Query with(Expr otherExpr) {
    return new Query(text, otherExpr, start, end, step, settings);
  }

  public boolean delaysNameRemoval() {
    return settings.features().contains(Feature.DELAYED_NAME_REMOVAL);
  }

  /** The steps of the whole query. */
  public Grid grid() {
    return new Grid(start, isInstant() ? 1 : step, end);
  }
}

package io.fleetgauge.promql.syntax;

import io.fleetgauge.promql.expr.Feature;
import java.util.Set;

/**
 * The options with which a text is read.
 *
 * @param features the parts of the language that are on
 * @param queryRange the query's end less its start, ms; what {@code range()} is in a duration
 * @param queryStep the query's step, ms, 0 for an instant query; what {@code step()} is there
 */
public record ParseOptions(Set<Feature> features, long queryRange, long queryStep) {
  /** A stock Prometheus 3.5. */
  public static final ParseOptions STOCK = new ParseOptions(Feature.STOCK, 0, 0);

  boolean has(Feature feature) {
    return features.contains(feature);
  }
}

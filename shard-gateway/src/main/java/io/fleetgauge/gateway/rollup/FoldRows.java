package io.fleetgauge.gateway.rollup;

import io.fleetgauge.promql.expr.Aggregation;
import java.util.Optional;

/** The rows of a rollup, besides the counts, that an aggregation needs. */
public enum FoldRows {
  /** The exact sum, which with the counts also gives the average. */
  SUM,
  MIN,
  MAX,
  /** None: the counts are enough. */
  COUNT;

  /** The rows for an operator; empty if rollups cannot answer it. */
  static Optional<FoldRows> of(Aggregation op) {
    return switch (op) {
      case SUM, AVG -> Optional.of(SUM);
      case MIN -> Optional.of(MIN);
      case MAX -> Optional.of(MAX);
      case COUNT, GROUP -> Optional.of(COUNT);
      case STDDEV, STDVAR, TOPK, BOTTOMK, QUANTILE, COUNT_VALUES, LIMITK, LIMIT_RATIO ->
          Optional.empty();
    };
  }
}

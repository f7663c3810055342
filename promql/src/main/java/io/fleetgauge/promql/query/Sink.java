package io.fleetgauge.promql.query;

/** Receives the columns of a vector, one at a time. */
@FunctionalInterface
public interface Sink {
  /** Receives a column and owns its arrays from then on. */
  void accept(Column column) throws QueryFailure;
}

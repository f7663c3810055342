package io.fleetgauge.promql.query;

/** Where the columns of a vector go, one by one. */
@FunctionalInterface
public interface Sink {
  /** Takes the column and its arrays over. */
  void accept(Column column) throws QueryFailure;
}

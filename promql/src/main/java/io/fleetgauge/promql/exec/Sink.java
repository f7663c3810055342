package io.fleetgauge.promql.exec;

/** Where the columns of a vector go, one by one. */
@FunctionalInterface
interface Sink {
  /** Takes the column and its arrays over. */
  void accept(Column column) throws QueryFailure;
}
